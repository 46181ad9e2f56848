import { mutationOn, type Result } from '@fair-bench/rpc-server-convex/binding';
import { v } from 'convex/values';

const mutation = mutationOn<{
  counter: { row: { id: number; value: bigint }; key: ['id'] };
  message: { row: { id: bigint; sender: number; channel: number; body: string }; key: ['id'] };
}>();

export const increment = mutation({
  args: { counter: v.number() },
  handler: async ({ db }, { counter: id }): Promise<Result> => {
    const found = await db
      .query('counter')
      .withIndex('by_key', (index) => index.eq('id', id))
      .unique();
    if (found === null) return null;
    const { _id, value } = found;
    await db.patch(_id, { value: value + 1n });
    return null;
  },
});

/** Convex has no unique indexes: an existing id must be looked up. */
export const message = mutation({
  args: { id: v.int64(), sender: v.number(), channel: v.number(), body: v.string() },
  handler: async ({ db }, row): Promise<Result> => {
    const present = await db
      .query('message')
      .withIndex('by_key', (index) => index.eq('id', row.id))
      .first();
    if (present !== null) throw new Error(`the message ${row.id} exists already`);
    await db.insert('message', row);
    return null;
  },
});

export const counter = mutation({
  args: { counter: v.number() },
  handler: async ({ db }, { counter: id }): Promise<Result> => {
    const found = await db
      .query('counter')
      .withIndex('by_key', (index) => index.eq('id', id))
      .collect();
    return { rows: found.map(({ value }) => ({ id, value })) };
  },
});

export const messages = mutation({
  args: { limit: v.number() },
  handler: async ({ db }, { limit }): Promise<Result> => {
    const found = await db.query('message').withIndex('by_key').order('desc').take(limit);
    return { rows: found.map(({ id, sender, channel, body }) => ({ id, sender, channel, body })) };
  },
});
