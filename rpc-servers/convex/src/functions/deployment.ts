import { v } from 'convex/values';
import { internalMutationGeneric, internalQueryGeneric } from 'convex/server';
import { siteUrl } from './env.ts';
import { marksTable } from './schema.ts';

/** Rises when a connector for the previous functions no longer works with these. */
const functionsVersion = '2';

/** The deployment's facts, read where the functions run. */
export const describe = internalQueryGeneric({
  args: {},
  returns: v.object({ functions: v.string(), siteUrl: v.union(v.string(), v.null()) }),
  handler: () => ({ functions: functionsVersion, siteUrl: siteUrl() }),
});

/** One small durable write, whose trace in the storage the connector looks for. */
export const mark = internalMutationGeneric({
  args: { mark: v.string() },
  returns: v.null(),
  handler: async ({ db }, { mark: text }) => {
    const found = await db.query(marksTable).first();
    if (found === null) {
      await db.insert(marksTable, { mark: text });
      return null;
    }
    const { _id } = found;
    await db.patch(_id, { mark: text });
    return null;
  },
});
