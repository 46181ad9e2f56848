import { type Check, pass, fail } from '../evidence.ts';

/**
 * A durable commit is visible to others only after its flush. Settings do not show an operation that turns the wait
 * off for itself, and flushes are too few only where nearly every commit skips its own.
 */
export const checkFlushedWhenVisible: Check = ({ factsBefore, observed: { unflushed } }) => {
  if (factsBefore.durability !== 'durable' || unflushed === null || unflushed.found.length === 0) return pass;
  return fail(
    'visible-before-flushed',
    `durable commits were claimed, but others saw one before it was flushed, in ${unflushed.found.length} or more of ${unflushed.looks} looks: ${unflushed.found[0]}`,
    'let every operation wait for its commit, and nothing else write to this server',
  );
};
