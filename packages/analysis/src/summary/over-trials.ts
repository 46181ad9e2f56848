import { type CellSummary, type PassedTrial, type MeanEstimate, meanWithInterval } from '@fair-bench/results';
import { latencySummaryMs, reportedLatency } from '@fair-bench/load-client';

type OverTrials = NonNullable<Extract<CellSummary, { status: 'ok' }>['overTrials']>;
type Parts = PassedTrial['cpuUs'];

/** Latency, CPU time and memory of each trial by itself, as means with intervals. */
export function overTrials(trials: readonly PassedTrial[]): OverTrials {
  // A trial that applied nothing has no latency, and no CPU time for an operation.
  const applied = trials.filter(({ result }) => result.window.applied > 0);
  const latencies = applied.flatMap(({ result }) => latencySummaryMs(reportedLatency([result])) ?? []);
  return {
    latencyMs: {
      p50: meanWithInterval(latencies.map(({ p50 }) => p50)),
      p99: meanWithInterval(latencies.map(({ p99 }) => p99)),
    },
    cpuUsPerTxn: byPart(applied, ({ cpuUs, result }, part) =>
      perOperation(cpuUs[part], result.window.applied),
    ),
    rssMb: byPart(trials, ({ rssMb }, part) => rssMb[part]),
  };
}

function perOperation(us: number | null, applied: number): number | null {
  return us === null ? null : us / applied;
}

/** Null for a part that one of the trials could not read. */
function byPart(
  trials: readonly PassedTrial[],
  valueOf: (trial: PassedTrial, part: keyof Parts) => number | null,
): OverTrials['cpuUsPerTxn'] {
  const estimate = (part: keyof Parts): MeanEstimate | null => {
    const values = trials.flatMap((trial) => valueOf(trial, part) ?? []);
    return values.length === trials.length ? meanWithInterval(values) : null;
  };
  return {
    client: estimate('client') ?? { mean: 0, ci95: null },
    appServer: estimate('appServer'),
    database: estimate('database'),
  };
}
