import { type Check, pass, fail } from '../evidence.ts';

/** PgBouncer's count misses one of about a thousand transactions. */
const countedShareMin = 0.9;

/** Sessions of a target with a pooler go through that pooler, and all of them through its pool. */
export const checkPooler: Check = ({ cell, result, observed, factsAfter: { pooler }, ...evidence }) => {
  if (pooler === undefined) return pass;
  const { requested, answers, version, poolSize } = pooler;
  if (answers !== requested) {
    return fail(
      'other-pooler',
      `the target's pooler is ${requested}, and ${answers} ${version} answers`,
      `have the program that is named for ${requested} be ${requested}`,
    );
  }
  const remedy = 'have all sessions of the target connect to its pooler, and nothing else to that';
  const [before, after] = [evidence.countersBefore.pooled, evidence.countersAfter.pooled];
  const passed = before === undefined || after === undefined ? null : after - before;
  const applied = Math.ceil(result.total.applied / cell.batch);
  // PgBouncer counts as one what a session sends before it has all replies: with a depth perhaps everything.
  const least = cell.depth === 1 ? applied * countedShareMin : Math.min(cell.sessions, poolSize, applied);
  if (passed !== null && passed < least) {
    return fail(
      'past-the-pooler',
      `${requested} passed ${passed} transactions on, and ${applied} requests were applied at depth ${cell.depth}`,
      remedy,
    );
  }
  if (observed.pooling === null) return pass;
  const { looks, pooledMost, beside } = observed.pooling;
  if (beside.length > 0) {
    return fail(
      'past-the-pooler',
      `sessions came to the database past ${requested}: ${beside.join('; ')}`,
      remedy,
    );
  }
  if (pooledMost <= poolSize) return pass;
  return fail(
    'pool-exceeded',
    `${requested} had ${pooledMost} connections to the database in one of ${looks} looks, and its pool has ${poolSize}`,
    'have one pool of that size: the target’s sessions must have one user and one database',
  );
};
