import { type OperationOutcome, type Values, inDoubt, messageOf } from '@fair-bench/contract';
import { setImmediate } from 'node:timers/promises';
import type { Recorder } from '../recorder.ts';
import type { Health } from './health.ts';
import type { Slots } from '@fair-bench/workload/client';
import type { LoopSession, OfferedLoad, Slot } from './slot-state.ts';

/** Decides when a free slot sends next: the only difference between closed and open loop. */
export interface Pace {
  /** Starts the slots. */
  begin(startMs: number): void;
  /**
   * When the slot's next operation was due; infinity when it is timed from its sending; negative without one, so the
   * slot stays idle.
   */
  next(slot: Slot, nowMs: number): number;
  /** The measured window: no operation starts at or after its end. */
  setWindow(fromMs: number, untilMs: number): void;
  end(): void;
  /** What was to be done in the window; null in the closed loop, where replies alone decide. Valid after `end`. */
  offered(): OfferedLoad | null;
}

export interface SlotContext {
  readonly recorder: Recorder;
  readonly pace: Pace;
  readonly health: Health;
  /** Whether it is the only slot: an outcome that is there at once is taken at once. Otherwise slots take turns, operation by operation. */
  readonly isAlone: boolean;
  /** Called with an error of a stream or the recorder: the trial is over. */
  readonly fail: (error: unknown) => void;
}

const noValues: Values = [];

export function createSlot(owner: LoopSession, slots: Slots, batch: readonly Slot[] = []): Slot {
  return {
    owner,
    batch,
    slots,
    values: noValues,
    operation: 0,
    sequence: 0,
    sentMs: 0,
    fromMs: 0,
    busy: false,
    settled: 0,
    failures: 0,
  };
}

/** Sends operations one after the other, woken by completions, while the pace has one due. Never rejects. */
export async function runSlot(slot: Slot, context: SlotContext, dueMsFirst: number): Promise<void> {
  const { recorder, pace, health, isAlone, fail } = context;
  const { session, stream, log } = slot.owner;
  try {
    let dueMs = dueMsFirst;
    while (dueMs >= 0) {
      const operation = stream.next(slot.slots);
      slot.operation = operation;
      const values = slot.slots[operation] ?? [];
      slot.sequence = log.drawn(operation, values);
      slot.values = values;
      recorder.sent();
      slot.busy = true;
      slot.sentMs = performance.now();
      slot.fromMs = Math.min(dueMs, slot.sentMs);
      let outcome: OperationOutcome;
      try {
        const given =
          (isAlone ? session.executeNow?.(operation, values) : undefined) ??
          session.execute(operation, values);
        outcome = 'kind' in given ? given : await given;
      } catch (error) {
        outcome = inDoubt('internal', messageOf(error));
      }
      let nowMs = performance.now();
      slot.busy = false;
      recorder.settle(slot, outcome, nowMs);
      slot.settled += 1;
      if (mayPause(slot, outcome)) {
        await pause(slot, outcome, health);
        nowMs = performance.now();
      }
      dueMs = pace.next(slot, nowMs);
    }
  } catch (error) {
    fail(error);
  }
}

/**
 * A session that answers without I/O would starve the event loop's timers, so the trial would never end. One turn per
 * this many operations of a slot costs a real session nothing.
 */
const settledPerYield = 1024;

/**
 * Whether the slot has to wait, or its outcome is new information. Nearly always it does not: waiting for nothing would let other slots
 * go first, and this one would be idle meanwhile.
 */
export function mayPause(slot: Slot, outcome: OperationOutcome): boolean {
  return outcome.kind === 'fault' || slot.owner.failing || slot.failures > 0 || isTurnDue(slot);
}

/** Waits as long as the outcome wants it, or for one turn of the event loop where the slot's next is due. */
export async function pause(slot: Slot, outcome: OperationOutcome, health: Health): Promise<void> {
  const backoffMs = health.observe(slot, outcome);
  if (backoffMs > 0) await health.sleep(backoffMs);
  else if (isTurnDue(slot)) await setImmediate();
}

function isTurnDue({ settled, batch }: Slot): boolean {
  return settled % settledPerYield < Math.max(1, batch.length);
}
