import { type Check, completions, pass, type TrialEvidence, fail } from '../evidence.ts';

/** Share of the waiting time that rounding may explain. */
const waitedShareMin = 0.98;

/**
 * Open loop: rate and time say how many operations fell due; each was either sent or never started. Operations never
 * started have waited at least as long as if they were the last ones due. Hiding them or shortening their wait makes
 * an overload look fast.
 */
export const checkOfferedLoad: Check = (evidence) => {
  const problem = problemWith(evidence);
  if (problem === null) return pass;
  return fail(
    'offered-load',
    problem,
    'in an open loop the waiting time of every due operation counts: check the load client',
  );
};

function problemWith({ cell, loop, result }: TrialEvidence): string | null {
  const { openLoop, timing, total } = result;
  if (loop.kind !== 'open') return null;
  if (openLoop === null) return 'the load client did not report which operations of the open loop fell due';
  const dueBy = (ms: number): number => (loop.ratePerSecond * ms) / 1000;
  // Each thread of each client has its own schedule, which may begin and end within a step.
  const slack = (cell.threads * (result.agents?.length ?? 1) + 1) * cell.batch;
  const { due, neverStarted, unfinished } = openLoop;
  const dueInAll = dueBy(timing.warmupMs + timing.windowMs);
  const sent = completions(total);
  if (Math.abs(due - dueBy(timing.windowMs)) > slack || Math.abs(sent + neverStarted - dueInAll) > slack) {
    return (
      `${Math.round(dueInAll)} operations fell due by the rate, ${Math.round(dueBy(timing.windowMs))} of them in the window; ` +
      `the load client says ${due} in the window, ${sent} sent and ${neverStarted} never started`
    );
  }
  const waitedUsMin =
    (waitedShareMin * neverStarted * (neverStarted - slack) * 1e6) / (2 * loop.ratePerSecond);
  if (unfinished.count === neverStarted && unfinished.sumUs >= waitedUsMin) return null;
  return (
    `${neverStarted} operations were never started; the histogram of the unfinished ` +
    `holds ${unfinished.count} that waited ${(unfinished.sumUs / 1e6).toFixed(1)} s together, at the offered rate they ` +
    `waited at least ${(waitedUsMin / 1e6).toFixed(1)} s`
  );
}
