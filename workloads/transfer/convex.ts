import { mutationOn, type Result } from '@fair-bench/rpc-server-convex/binding';
import { v } from 'convex/values';

const mutation = mutationOn<{ account: { row: { id: number; balance: bigint }; key: ['id'] } }>();

/** Moves an amount from one account to another. The checks, and their order, are those of every other system. */
export const transfer = mutation({
  args: { source: v.number(), target: v.number(), amount: v.int64() },
  handler: async ({ db }, { source, target, amount }): Promise<Result> => {
    if (amount <= 0n) return { declined: 'non-positive-amount' };
    if (source === target) return { declined: 'same-account' };
    const accountOf = async (id: number) =>
      await db
        .query('account')
        .withIndex('by_key', (index) => index.eq('id', id))
        .unique();
    const [from, to] = await Promise.all([accountOf(source), accountOf(target)]);
    if (from === null || to === null) return { declined: 'missing-account' };
    if (from.balance < amount) return { declined: 'insufficient-funds' };
    const { _id: fromId } = from;
    const { _id: toId } = to;
    await db.patch(fromId, { balance: from.balance - amount });
    await db.patch(toId, { balance: to.balance + amount });
    return null;
  },
});
