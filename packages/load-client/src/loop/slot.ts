import { type Outcome, inDoubt } from '@fair-bench/contract';
import { setImmediate } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import type { Recorder } from '../recorder.ts';
import type { Health } from './health.ts';
import type { LoopSession, Slot } from './slot-state.ts';

/** Says when a free slot sends next: the one thing in which closed and open loop differ. */
export interface Pace<Operation> {
  /** Starts the slots. */
  begin(startMs: number): void;
  /**
   * When the operation that the slot is to send now was due; infinity when it is timed from its sending;
   * negative when there is none, and then the slot is idle.
   */
  next(slot: Slot<Operation>, nowMs: number): number;
  /** No operation starts at or after this time. */
  endAt(untilMs: number): void;
  end(): void;
}

export interface SlotContext<Operation> {
  readonly recorder: Recorder<Operation>;
  readonly pace: Pace<Operation>;
  readonly health: Health<Operation>;
  /** Called with what a workload or a recorder threw: the trial is over. */
  readonly fail: (error: unknown) => void;
}

export function createSlot<Operation>(owner: LoopSession<Operation>, operation: Operation): Slot<Operation> {
  return { owner, operation, sentMs: 0, fromMs: 0, busy: false, settled: 0, failures: 0 };
}

/**
 * Sends one operation after the other, woken by completions, for as long as the pace has one that is due.
 * Never rejects.
 */
export async function runSlot<Operation>(
  slot: Slot<Operation>,
  context: SlotContext<Operation>,
  dueMsFirst: number,
): Promise<void> {
  const { recorder, pace, health, fail } = context;
  const { session, stream } = slot.owner;
  try {
    let dueMs = dueMsFirst;
    while (dueMs >= 0) {
      stream.next(slot.operation);
      recorder.sent();
      slot.busy = true;
      slot.sentMs = performance.now();
      slot.fromMs = Math.min(dueMs, slot.sentMs);
      let outcome: Outcome;
      try {
        outcome = await session.execute(slot.operation);
      } catch (error) {
        outcome = inDoubt('internal', messageOf(error));
      }
      let nowMs = performance.now();
      slot.busy = false;
      recorder.settle(slot, outcome, nowMs);
      slot.settled += 1;
      if (outcome.kind === 'fault' || isSuspect(slot) || slot.settled % settledPerYield === 0) {
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
 * A session that answers without any I/O would keep the event loop from its timers for ever, and so the
 * trial from its end. One turn in this many operations of a slot costs a real session nothing.
 */
const settledPerYield = 1024;

async function pause<Operation>(
  slot: Slot<Operation>,
  outcome: Outcome,
  health: Health<Operation>,
): Promise<void> {
  const backoffMs = health.observe(slot, outcome);
  if (backoffMs > 0) await health.sleep(backoffMs);
  else if (slot.settled % settledPerYield === 0) await setImmediate();
}

/** Whether a good outcome would be news. */
function isSuspect(slot: Slot<unknown>): boolean {
  return slot.owner.failing || slot.failures > 0;
}
