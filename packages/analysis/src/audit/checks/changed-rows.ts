import { type Check, fail, pass } from '../evidence.ts';

/**
 * A read that begins after another connection's change of its row was acknowledged must return the change. Nothing marks
 * the rows, which no operation writes: who answers from a copy does not know them.
 */
export const checkChangedRows: Check = ({ observed: { changes } }) => {
  if (changes === undefined || changes === null || changes.fresh === changes.judged) return pass;
  const { judged, fresh, staleMsMost, problems } = changes;
  return fail(
    'stale-reads',
    `${judged - fresh} of ${judged} reads returned what a row was before another connection changed it, up to ${staleMsMost.toFixed(1)} ms after that was acknowledged: ${problems.join('; ')}`,
    'the client library, its server or a proxy answers from a cache, or a replica that lags does: measure it as what it is, by a target of its own',
  );
};
