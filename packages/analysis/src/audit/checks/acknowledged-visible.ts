import { type Check, completions, outstandingMaxOf, pass, fail, warn } from '../evidence.ts';

/** Every slot must end this many operations in the window: only then had the canary behind each slot its turn. */
const turnsMin = 10;

/** An acknowledged write must be visible to another connection at once, however soon after it appears. */
export const checkAcknowledgedVisible: Check = ({ cell, observed: { canaries }, result }) => {
  if (canaries === null) return pass;
  const { read, visible, declined, problems } = canaries;
  if (visible < read) {
    return fail(
      'acknowledged-early',
      `${read - visible} of ${read} operations that were acknowledged were not visible to another connection: ${problems.join('; ')}`,
      'the session, its server or a proxy acknowledges before the work is done',
    );
  }
  if (declined > 0) {
    return fail(
      'canaries-declined',
      `${declined} of ${canaries.planned} operations beside the load were declined, on rows of their own that permit them`,
      'a target that declines canaries cannot be checked for early acknowledgements',
    );
  }
  if (read > 0 || result.ending === 'stopped') return pass;
  const hadTime = completions(result.window) >= turnsMin * outstandingMaxOf(cell);
  return (hadTime ? fail : warn)(
    'canaries-unread',
    `none of ${canaries.planned} operations beside the load could be read after it was acknowledged${problems.length === 0 ? '' : `: ${problems.join('; ')}`}`,
    hadTime
      ? 'a target that drops canaries cannot be checked for early acknowledgements'
      : 'use a longer --duration, so that at least one is acknowledged',
  );
};
