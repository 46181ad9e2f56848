import type { TrialPlan } from '@fair-bench/results/protocol';
import type { CanaryOutcome } from '../loop/canaries.ts';
import type { Acknowledged } from '../loop/watched.ts';
import type { Recording } from '../recorder.ts';

/** One worker's share of a trial: sessions `sessionFirst` … `sessionFirst + sessionCount − 1`. */
export interface Assignment {
  readonly plan: TrialPlan;
  /** The worker's number. */
  readonly thread: number;
  readonly sessionFirst: number;
  readonly sessionCount: number;
  /** Two blocks of counters, total and window, which the coordinator reads while the worker writes. */
  readonly live: SharedArrayBuffer;
}

/** Times are milliseconds of the clock shared by all threads. */
export type WorkerCommand =
  | { readonly type: 'begin'; readonly atMs: number }
  /** Sent again with an earlier end, it ends the window then. */
  | { readonly type: 'window'; readonly fromMs: number; readonly untilMs: number }
  /** The trial has failed: send nothing more and close the sessions. */
  | { readonly type: 'abort' };

export type WorkerEvent =
  /** `openMs`: how long this thread took to open its slowest engine; null without an engine. */
  | { readonly type: 'connected'; readonly openMs: number | null }
  /** Every session of the worker has lost its connection; sent again when the kind of fault changes. */
  | { readonly type: 'lost'; readonly message: string }
  | { readonly type: 'recovered' }
  /** A canary has an outcome, at a time of the shared clock. */
  | ({ readonly type: 'canary' } & CanaryOutcome)
  /** A watched operation was acknowledged as applied. */
  | ({ readonly type: 'acknowledged' } & Acknowledged)
  /** The sessions are closed and the worker is done. */
  | { readonly type: 'report'; readonly report: WorkerReport }
  | { readonly type: 'aborted' }
  | { readonly type: 'failed'; readonly reason: string };

export interface WorkerReport extends Recording {
  /** Blocks of counters. */
  readonly window: Float64Array;
  readonly total: Float64Array;
  /** When the last operation settled, or was given up. */
  readonly endedMs: number;
  /** Utilization of the worker's thread within the window, 0 to 1. */
  readonly loopUtilization: number;
  /** The sections of its sessions; none when the plan has no log. */
  readonly log: readonly Uint8Array[];
}

export interface LiveBlocks {
  readonly total: Float64Array;
  readonly window: Float64Array;
}

/** `counters` is the number of counters of a block. */
export function createLive(counters: number): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * counters * Float64Array.BYTES_PER_ELEMENT);
}

export function liveBlocks(live: SharedArrayBuffer): LiveBlocks {
  const bytes = live.byteLength / 2;
  const counters = bytes / Float64Array.BYTES_PER_ELEMENT;
  return { total: new Float64Array(live, 0, counters), window: new Float64Array(live, bytes, counters) };
}
