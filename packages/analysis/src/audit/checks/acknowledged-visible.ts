import { type Check, completions, holds, voids, warns } from '../evidence.ts';

/** Each slot ended so many operations in the window, so that a canary behind one of them had its turn as well. */
const turnsMin = 10;

/** What was acknowledged as applied must be there at once for another connection, however little later it is done. */
export const checkAcknowledgedVisible: Check = ({ cell, observed: { canaries }, result }) => {
  if (canaries === null) return holds;
  const { read, visible, declined, problems } = canaries;
  if (visible < read) {
    return voids(
      'acknowledged-early',
      `${read - visible} of ${read} operations that were acknowledged were not visible to another connection: ${problems.join('; ')}`,
      'the session, its server or a proxy acknowledges before the work is done',
    );
  }
  if (declined > 0) {
    return voids(
      'canaries-declined',
      `${declined} of ${canaries.planned} operations beside the load were declined, on rows of their own that permit them`,
      'what declines operations on rows of their own escapes the question whether it acknowledges early',
    );
  }
  if (read > 0 || result.ending === 'stopped') return holds;
  const hadTime = completions(result.window) >= turnsMin * cell.sessions * cell.depth;
  return (hadTime ? voids : warns)(
    'canaries-unread',
    `none of ${canaries.planned} operations beside the load could be read after it was acknowledged${problems.length === 0 ? '' : `: ${problems.join('; ')}`}`,
    hadTime
      ? 'what leaves out operations on rows of their own escapes the question whether it acknowledges early'
      : 'measure a longer window, so that one is acknowledged within it',
  );
};
