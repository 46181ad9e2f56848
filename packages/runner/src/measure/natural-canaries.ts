import { messageOf, type Observer } from '@fair-bench/contract';
import type { ClientEvent, Observed, TrialPlan, TrialResult } from '@fair-bench/results';
import {
  type DrawnMark,
  drawWatched,
  judgeWatched,
  type SessionOutcomes,
  type WatchedOperation,
  type WatchedReading,
  type Workload,
} from '@fair-bench/workload';
import { lastDraw } from './last-draw.ts';
import { logClockOf, machineMs } from '../probes/machine-clock.ts';

type Acknowledged = Extract<ClientEvent, { type: 'acknowledged' }>;
type Read = NonNullable<Observer['read']>;
type Reading = Omit<WatchedReading, 'endUs'> & { readonly endMs: number };

/** Between reports of a trial, on average. */
const everyMs = 125;
const problemsMax = 3;
/** A longer delay is another machine's clock. */
const afterMsMax = 10_000;

/** The natural canaries of a trial's streams. */
export const naturalCanariesOf = lastDraw(drawWatched);

/** In the form that the load client receives; nothing without any. */
export function plannedWatched(all: readonly WatchedOperation[]): Pick<TrialPlan, 'watched'> {
  if (all.length === 0) return {};
  const operations: [number, ...number[]][] = [];
  for (const { session, sequence } of all) {
    const own = operations.at(-1);
    if (own?.[0] === session) own.push(sequence);
    else operations.push([session, sequence]);
  }
  return { watched: { everyMs, operations } };
}

/** Reads the rows of natural canaries as soon as they are acknowledged. They are judged when the log is there. */
export class NaturalCanaries {
  readonly #read: Read | null;
  readonly #workload: Workload;
  readonly #planned: ReadonlyMap<string, WatchedOperation>;
  readonly #pending: Promise<void>[] = [];
  readonly #readings: Reading[] = [];
  readonly #marks: (Omit<DrawnMark, 'atUs'> & { readonly atMs: number })[] = [];
  readonly #problems: string[] = [];

  constructor(read: Read | null, workload: Workload, planned: readonly WatchedOperation[]) {
    this.#read = read;
    this.#workload = workload;
    this.#planned = new Map(planned.map((one) => [nameOf(one), one]));
  }

  /** Call it at once when the load client reports the acknowledgement. */
  acknowledged(event: Acknowledged): void {
    this.#marks.push(event);
    const operation = this.#planned.get(nameOf(event));
    if (this.#read === null || operation === undefined) return;
    const looking = this.#look(this.#read, operation, event.atMs).catch((error: unknown) => {
      this.#problems.push(`${nameOf(event)}: its rows could not be read: ${messageOf(error)}`);
    });
    this.#pending.push(looking);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** `sharesClock`: whether the load client's clock is this machine's. */
  seen(
    logs: readonly SessionOutcomes[],
    { timing, latencyMsMeanWindow }: TrialResult,
    sharesClock: boolean,
  ): NonNullable<Observed['natural']> | null {
    if (this.#read === null || this.#planned.size === 0) return null;
    const usOf = logClockOf(timing);
    const readings = this.#readings.map(({ endMs, ...reading }) => ({
      ...reading,
      endUs: sharesClock ? usOf(endMs) : Infinity,
    }));
    const marks = this.#marks.map(({ atMs, ...mark }) => ({ ...mark, atUs: usOf(atMs) }));
    // One mean latency: an answer that took longer may have waited until the work was done.
    const watched = { readings, marks, withinMs: latencyMsMeanWindow };
    const { judged, visible, late, afterMs, problems } = judgeWatched(this.#workload, logs, watched);
    const sorted = afterMs.toSorted((a, b) => a - b);
    const [median, most] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    return {
      planned: this.#planned.size,
      read: readings.length,
      judged,
      visible,
      readAfterMs: median === undefined || most === undefined ? null : { median, most },
      late,
      seesLatency: visible > 0 && visible >= late,
      problems: [...problems, ...this.#problems].slice(0, problemsMax),
    };
  }

  async #look(read: Read, { session, sequence, rows }: WatchedOperation, atMs: number): Promise<void> {
    const found = await Promise.all(
      rows.map(async ({ table, key }) => {
        const [row = null] = await read(table, [key]);
        return { table, key, found: row };
      }),
    );
    // What was asked may have waited anywhere for what was acknowledged: only the answer's time is known.
    const endMs = machineMs();
    const afterMs = endMs - atMs;
    const known = afterMs >= 0 && afterMs < afterMsMax ? afterMs : null;
    this.#readings.push({ session, sequence, rows: found, afterMs: known, endMs });
  }
}

function nameOf({ session, sequence }: { readonly session: number; readonly sequence: number }): string {
  return `operation ${sequence} of session ${session}`;
}
