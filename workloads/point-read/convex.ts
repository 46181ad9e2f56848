import { mutationOn, type Result } from '@fair-bench/rpc-server-convex/binding';
import { v } from 'convex/values';

const mutation = mutationOn<{ record: { row: { id: number; value: string }; key: ['id'] } }>();

export const read = mutation({
  args: { id: v.number() },
  handler: async ({ db }, { id }): Promise<Result> => {
    const found = await db
      .query('record')
      .withIndex('by_key', (index) => index.eq('id', id))
      .collect();
    return { rows: found.map(({ value }) => ({ id, value })) };
  },
});
