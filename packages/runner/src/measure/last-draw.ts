import { randomInt } from 'node:crypto';
import type { JsonObject } from '@fair-bench/contract';
import {
  resolveWorkload,
  type SessionSpan,
  type Workload,
  type WorkloadDescription,
} from '@fair-bench/workload';

/** What is drawn from a trial's streams. */
type DrawnFrom<Drawn> = (
  description: WorkloadDescription,
  parameters: JsonObject,
  sessions: SessionSpan,
) => Drawn;

/** This number belongs to one process and is written nowhere, so that no server knows what is drawn with it. */
const secret = randomInt(2 ** 32);

/** Draws once for all targets of a round, which share their streams: the last draw is kept. */
export function lastDraw<Drawn>(
  draw: (workload: Workload, sessions: SessionSpan, secret: number) => Drawn,
): DrawnFrom<Drawn> {
  let last: { readonly of: string; readonly drawn: Drawn } | null = null;
  return (description, parameters, sessions) => {
    const of = JSON.stringify([description, parameters, sessions]);
    if (last?.of !== of)
      last = { of, drawn: draw(resolveWorkload(description, parameters), sessions, secret) };
    return last.drawn;
  };
}
