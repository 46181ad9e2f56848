import { appliedSlotMs, type ClientResult } from '@fair-bench/results/protocol';
import { type OperationOutcome, inDoubt } from '@fair-bench/contract';
import { type Counters, inDoubtIndex, latencyIndex, retriesIndex } from './counts.ts';
import { LatencyHistogram } from './histogram.ts';
import { type OutcomeKind, SecondSeries } from './series.ts';
import type { OfferedLoad, Slot } from './loop/slot-state.ts';
import type { Watched } from './loop/watched.ts';

export const replySlotMs = 10;

const applied = 0;
const declined = 1;
const fault = 2;

const unanswered = inDoubt('timeout', 'no reply by the end of the drain');

interface RecorderLimits {
  readonly operationMs: number;
  /** The longest possible window and trial. */
  readonly windowMsMax: number;
  readonly trialMsMax: number;
}

/** A thread's measurements in a form that can be sent. */
export interface Recording {
  readonly outstandingPeak: number;
  readonly unanswered: number;
  /** By operation. */
  readonly latency: readonly ClientResult['latency'][];
  readonly windowLatency: { readonly count: number; readonly sumMs: number };
  /** Null in the closed loop. */
  readonly openLoop: ClientResult['openLoop'];
  readonly replySlots: Uint32Array;
  readonly appliedSlots: Uint32Array;
  readonly series: Float64Array;
}

/**
 * Counts and clocks of one thread. Phases are distinguished by the completion's own time stamp, not by when a timer
 * fired, so that the window of every thread begins and ends at the same instant.
 */
export class Recorder {
  /** The window, by this thread's clock; in the future until the warm-up is over. */
  windowFromMs = Number.POSITIVE_INFINITY;
  windowUntilMs = Number.POSITIVE_INFINITY;
  outstanding = 0;

  readonly #limits: RecorderLimits;
  readonly #total: Float64Array;
  readonly #window: Float64Array;
  readonly #counters: Counters;
  readonly #watched: Pick<Watched, 'acknowledged'>;
  readonly #drained: () => void;
  /** By operation, in the order of the kinds of outcome. */
  readonly #histograms: readonly (readonly [LatencyHistogram, LatencyHistogram, LatencyHistogram])[];
  /** Lower bounds of the latencies of operations that were never started. */
  readonly #unfinished = new LatencyHistogram();
  readonly #series: SecondSeries;
  readonly #replySlots: Uint32Array;
  readonly #appliedSlots: Uint32Array;
  #startMs = 0;
  #outstandingPeak = 0;
  #unanswered = 0;
  #windowLatencyCount = 0;
  #windowLatencySumMs = 0;
  #closed = false;

  /**
   * `total` and `window` are blocks of counters; `drained` is called when the last operation after the window
   * settles.
   */
  constructor(
    limits: RecorderLimits,
    blocks: { readonly total: Float64Array; readonly window: Float64Array },
    workload: { readonly counters: Counters; readonly operations: number },
    watched: Pick<Watched, 'acknowledged'>,
    drained: () => void,
  ) {
    this.#limits = limits;
    this.#total = blocks.total;
    this.#window = blocks.window;
    this.#counters = workload.counters;
    this.#histograms = Array.from(
      { length: workload.operations },
      () => [new LatencyHistogram(), new LatencyHistogram(), new LatencyHistogram()] as const,
    );
    this.#watched = watched;
    this.#drained = drained;
    this.#series = new SecondSeries(Math.ceil(limits.trialMsMax / 1000));
    this.#replySlots = new Uint32Array(Math.ceil(limits.windowMsMax / replySlotMs));
    this.#appliedSlots = new Uint32Array(Math.ceil(limits.windowMsMax / appliedSlotMs));
  }

  /** The instant from which the series counts its seconds. */
  begin(startMs: number): void {
    this.#startMs = startMs;
  }

  sent(): void {
    this.outstanding += 1;
    if (this.outstanding > this.#outstandingPeak) this.#outstandingPeak = this.outstanding;
  }

  /** Counts a reply. One that arrives after `close` was already counted as unanswered. */
  settle(slot: Slot, outcome: OperationOutcome, nowMs: number): void {
    if (this.#closed) return;
    this.outstanding -= 1;
    this.#log(slot, outcome, nowMs);
    this.#add(latencyIndex, false, nowMs - slot.sentMs);
    const kind = this.#count(slot, outcome, nowMs);
    this.#clock(slot, kind, nowMs);
    const { watched, number } = slot.owner;
    if (kind === applied && watched.has(slot.sequence) && this.#isInWindow(nowMs))
      this.#watched.acknowledged(number, slot.sequence, nowMs);
    if (this.outstanding === 0 && nowMs >= this.windowUntilMs) this.#drained();
  }

  /** Counts an operation whose reply never came: a timeout, in doubt. */
  giveUp(slot: Slot, nowMs: number): void {
    this.outstanding -= 1;
    this.#unanswered += 1;
    this.#log(slot, unanswered, nowMs);
    this.#add(this.#counters.faultIndex(slot.operation, 'timeout'), false);
    this.#add(inDoubtIndex, false);
    this.#clock(slot, fault, nowMs);
  }

  close(): void {
    this.#closed = true;
  }

  /** `offered` are the due operations of an open loop. */
  recording(offered: OfferedLoad | null): Recording {
    return {
      outstandingPeak: this.#outstandingPeak,
      unanswered: this.#unanswered,
      latency: this.#histograms.map(([appliedOnes, declinedOnes, faults]) => ({
        applied: appliedOnes.encode(),
        declined: declinedOnes.encode(),
        faults: faults.encode(),
      })),
      windowLatency: { count: this.#windowLatencyCount, sumMs: this.#windowLatencySumMs },
      openLoop: offered === null ? null : this.#openLoop(offered),
      replySlots: this.#replySlots,
      appliedSlots: this.#appliedSlots,
      series: this.#series.rows(),
    };
  }

  #openLoop({ due, started, waiting }: OfferedLoad): ClientResult['openLoop'] {
    this.#unfinished.recordEvenly(waiting);
    const neverStarted = waiting.count * waiting.each;
    return { due, started, neverStarted, unfinished: this.#unfinished.encode() };
  }

  /** Logs the operation's outcome, whatever the counters do with it; times since the first operation. */
  #log(slot: Slot, outcome: OperationOutcome, nowMs: number): void {
    const { owner, sequence, operation, values } = slot;
    // The start may lie slightly after the first sending, by rounding of the shared clock.
    const sentUs = Math.max(0, slot.sentMs - this.#startMs) * 1000;
    const settledUs = (nowMs - this.#startMs) * 1000;
    owner.log.settled(sequence, operation, values, outcome, sentUs, settledUs);
  }

  #count(slot: Slot, outcome: OperationOutcome, nowMs: number): OutcomeKind {
    const inWindow = this.#isInWindow(nowMs);
    const counters = this.#counters;
    if (outcome.retries > 0) this.#add(retriesIndex, inWindow, outcome.retries);
    const late = nowMs - slot.sentMs > this.#limits.operationMs;
    if (outcome.kind === 'fault') {
      if (outcome.inDoubt) {
        this.#add(inDoubtIndex, inWindow);
      }
      this.#add(counters.faultIndex(slot.operation, late ? 'timeout' : outcome.code), inWindow);
      return fault;
    }
    if (late) {
      // Its outcome is nevertheless known: it is in the log, and not in doubt.
      this.#add(counters.faultIndex(slot.operation, 'timeout'), inWindow);
      return fault;
    }
    if (outcome.kind === 'declined') {
      this.#add(counters.declinedIndex(slot.operation, outcome.reason), inWindow);
      return declined;
    }
    this.#add(counters.appliedIndex(slot.operation), inWindow);
    if (inWindow) increment(this.#appliedSlots, (nowMs - this.windowFromMs) / appliedSlotMs);
    return applied;
  }

  #clock(slot: Slot, kind: OutcomeKind, nowMs: number): void {
    const latencyMs = nowMs - slot.fromMs;
    this.#series.record(kind, nowMs - this.#startMs, latencyMs);
    if (nowMs < this.windowFromMs) return;
    this.#histograms[slot.operation]?.[kind].record(latencyMs);
    if (nowMs >= this.windowUntilMs) return;
    this.#windowLatencyCount += 1;
    this.#windowLatencySumMs += latencyMs;
    increment(this.#replySlots, (nowMs - this.windowFromMs) / replySlotMs);
  }

  #isInWindow(nowMs: number): boolean {
    return nowMs >= this.windowFromMs && nowMs < this.windowUntilMs;
  }

  #add(index: number, inWindow: boolean, count = 1): void {
    this.#total[index] = (this.#total[index] ?? 0) + count;
    if (inWindow) this.#window[index] = (this.#window[index] ?? 0) + count;
  }
}

function increment(slots: Uint32Array, position: number): void {
  const index = Math.floor(position);
  slots[index] = (slots[index] ?? 0) + 1;
}
