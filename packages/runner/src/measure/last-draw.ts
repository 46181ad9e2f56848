import type { JsonObject } from '@fair-bench/contract';
import { resolveWorkload, type Workload, type WorkloadDescription } from '@fair-bench/workload';

/** What is drawn from a trial's streams. */
type DrawnFrom<Drawn> = (description: WorkloadDescription, parameters: JsonObject, sessions: number) => Drawn;

/** Draws once for all targets of a round, which share their streams: the last draw is kept. */
export function lastDraw<Drawn>(draw: (workload: Workload, sessions: number) => Drawn): DrawnFrom<Drawn> {
  let last: { readonly of: string; readonly drawn: Drawn } | null = null;
  return (description, parameters, sessions) => {
    const of = JSON.stringify([description, parameters, sessions]);
    if (last?.of !== of) last = { of, drawn: draw(resolveWorkload(description, parameters), sessions) };
    return last.drawn;
  };
}
