import { type Check, holds, voids, warns } from '../evidence.ts';

/** What was acknowledged as applied must be there at once for another connection, however little later it is done. */
export const checkAcknowledgedVisible: Check = ({ observed: { canaries }, result }) => {
  if (canaries === null) return holds;
  const { read, visible, problems } = canaries;
  if (visible < read) {
    return voids(
      'acknowledged-early',
      `${read - visible} of ${read} operations that were acknowledged were not visible to another connection: ${problems.join('; ')}`,
      'the session, its server or a proxy acknowledges before the work is done',
    );
  }
  if (read > 0 || result.ending === 'stopped') return holds;
  return warns(
    'canaries-unread',
    `none of ${canaries.planned} operations beside the load could be read after it was acknowledged${problems.length === 0 ? '' : `: ${problems.join('; ')}`}`,
    'measure a longer window, so that one is acknowledged within it',
  );
};
