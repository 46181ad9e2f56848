import { v } from 'convex/values';
import { internalMutationGeneric, internalQueryGeneric } from 'convex/server';
import { siteUrl } from './env.ts';
import { marksTable } from './schema.ts';

/** Rises when a connector written for the functions before would no longer work with them. */
const functionsVersion = '2';

/** What the deployment says of itself, read where the functions run. */
export const describe = internalQueryGeneric({
  args: {},
  returns: v.object({ functions: v.string(), siteUrl: v.union(v.string(), v.null()) }),
  handler: () => ({ functions: functionsVersion, siteUrl: siteUrl() }),
});

/** One small durable write, whose traces in the storage can be looked for. */
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
