import { inDoubt, messageOf, type OperationOutcome } from '@fair-bench/contract';
import { mayPause, pause, type SlotContext } from './slot.ts';
import type { Slot } from './slot-state.ts';

/**
 * The same as `runSlot` for requests of several operations: the session's next ones, one for each slot of the batch. All
 * are timed from the request; each is counted, recorded and logged by itself. Never rejects.
 */
export async function runBatches(slot: Slot, context: SlotContext, dueMsFirst: number): Promise<void> {
  const { recorder, pace, health, fail } = context;
  const { batch, owner } = slot;
  try {
    let dueMs = dueMsFirst;
    while (dueMs >= 0) {
      for (const member of batch) draw(member, context);
      const sentMs = performance.now();
      const fromMs = Math.min(dueMs, sentMs);
      for (const member of batch) {
        member.sentMs = sentMs;
        member.fromMs = fromMs;
      }
      let outcomes: readonly OperationOutcome[];
      try {
        outcomes = (await owner.session.executeBatch?.(batch)) ?? [];
      } catch (error) {
        const fault = inDoubt('internal', messageOf(error));
        outcomes = batch.map(() => fault);
      }
      let nowMs = performance.now();
      let worst = outcomes[0] ?? missing;
      for (const [place, member] of batch.entries()) {
        const outcome = outcomes[place] ?? missing;
        member.busy = false;
        recorder.settle(member, outcome, nowMs);
        if (outcome.kind === 'fault') worst = outcome;
      }
      slot.settled += batch.length;
      if (mayPause(slot, worst)) {
        await pause(slot, worst, health);
        nowMs = performance.now();
      }
      dueMs = pace.next(slot, nowMs);
    }
  } catch (error) {
    fail(error);
  }
}

const missing = inDoubt('internal', 'the session resolved a batch with fewer outcomes than operations');

function draw(member: Slot, { recorder }: SlotContext): void {
  const { stream, log } = member.owner;
  member.operation = stream.next(member.slots);
  const values = member.slots[member.operation] ?? [];
  member.sequence = log.drawn(member.operation, values);
  member.values = values;
  recorder.sent();
  member.busy = true;
}
