import { v } from 'convex/values';
import { internalMutation, internalQuery } from './builders.ts';
import { siteUrl } from './env.ts';

/** Rises when a connector written for the functions before would no longer work with them. */
const functionsVersion = '1';

/** What the deployment tells of itself, read where the functions run. */
export const describe = internalQuery({
  args: {},
  returns: v.object({ functions: v.string(), siteUrl: v.union(v.string(), v.null()) }),
  handler: () => ({ functions: functionsVersion, siteUrl: siteUrl() }),
});

/** One small durable write, whose traces in the storage can be looked for. */
export const mark = internalMutation({
  args: { mark: v.string() },
  returns: v.null(),
  handler: async ({ db }, { mark: text }) => {
    const found = await db.query('marks').first();
    if (found === null) {
      await db.insert('marks', { mark: text });
      return null;
    }
    const { _id } = found;
    await db.patch(_id, { mark: text });
    return null;
  },
});
