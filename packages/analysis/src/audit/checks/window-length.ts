import { type Check, completions, outstandingMaxOf, pass, type TrialEvidence, fail } from '../evidence.ts';
import { blurredMax, concurrencyOf } from './littles-law.ts';

/** The load client aims at ten; latency may still rise after the warm-up. */
const latenciesLeast = 5;
const latenciesAim = 10;

/**
 * A window shorter than a few latencies measures its own edges: operations of the warm-up complete in it, and its own
 * do not. Throughput and latency of such a window are not those of the system, in either direction.
 */
export const checkWindowLength: Check = (evidence) => {
  const { result, windowMsPlanned } = evidence;
  const { windowMs } = result.timing;
  if (result.ending === 'stopped' || completions(result.window) === 0) return pass;
  const latencyMs = latencyMsOf(evidence);
  if (windowMs < latenciesLeast * latencyMs) {
    const isLongest = windowMs >= windowMsPlanned.most;
    return fail(
      // No pause of the machine is behind a window that would have had to be longer than the plan permits.
      isLongest ? 'window-too-short' : 'window-length',
      `the window of ${windowMs.toFixed(0)} ms is shorter than ${latenciesLeast} mean latencies of ${latencyMs.toFixed(0)} ms; --duration ${Math.ceil((latenciesAim * latencyMs) / 1000)}s gives it ten`,
      'use a longer --duration, fewer --sessions or a lower --depth',
    );
  }
  const concurrency = concurrencyOf(evidence);
  if (concurrency === null || concurrency.mayBeIdle) return pass;
  const { deviation, stalled, message } = concurrency;
  if (Math.abs(deviation) <= blurredMax || Math.abs(deviation) > stalled) return pass;
  return fail(
    'window-length',
    `${message}; that is ${(Math.abs(deviation) * 100).toFixed(0)} % off, and only the edges of a window of ${windowMs.toFixed(0)} ms explain it`,
    'use a longer --duration, so that its edges weigh less',
  );
};

/**
 * The mean latency, from sending. Outstanding operations are missing from the mean of those that completed: by Little's
 * law the sessions × depth of a closed loop count them. In an open loop, where waiting before the sending counts too,
 * they are the most that can have been outstanding.
 */
function latencyMsOf({ cell, loop, result }: TrialEvidence): number {
  const byLawMs = (outstandingMaxOf(cell) * result.timing.windowMs) / completions(result.window);
  const choose = loop.kind === 'closed' ? Math.max : Math.min;
  return choose(byLawMs, result.latencyMsMeanWindow);
}
