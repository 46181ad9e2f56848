import type { FaultCode, OperationOutcome } from '@fair-bench/contract';
import type { LoopSession, Slot } from './slot-state.ts';

const backoffMsFirst = 10;
const backoffMsMax = 500;

/** Faults that return at once while their cause lasts: without a pause the loop would spin on them. */
const spinningFaults: ReadonlySet<FaultCode> = new Set(['connection-lost', 'connection-refused', 'internal']);

/** Called when every session of the thread has failed, and when one works again. */
interface HealthEvents {
  lost(message: string): void;
  recovered(): void;
}

/** Knows which sessions have no connection. Used only after faults: the normal path never comes here. */
export class Health {
  readonly #events: HealthEvents;
  #working: number;
  #sleepers = new Set<() => void>();
  #awake = false;
  /** The last reported fault: a different one is reported, a repeated one is not. */
  #lostCode: FaultCode | null = null;

  constructor(sessions: readonly LoopSession[], events: HealthEvents) {
    this.#working = sessions.length;
    this.#events = events;
  }

  /** Records an outcome; returns the slot's pause in milliseconds: 10, 20, 40 … 500. */
  observe(slot: Slot, outcome: OperationOutcome): number {
    if (outcome.kind === 'fault' && spinningFaults.has(outcome.code)) {
      slot.failures += 1;
      if (!slot.owner.failing) {
        slot.owner.failing = true;
        this.#working -= 1;
        this.#lostCode = null;
      }
      if (this.#working === 0 && this.#lostCode !== outcome.code) {
        this.#lostCode = outcome.code;
        this.#events.lost(`${outcome.code}: ${outcome.message}`);
      }
      return Math.min(backoffMsFirst * 2 ** (slot.failures - 1), backoffMsMax);
    }
    slot.failures = 0;
    if (outcome.kind !== 'fault' && slot.owner.failing) {
      slot.owner.failing = false;
      this.#working += 1;
      if (this.#working === 1) this.#events.recovered();
    }
    return 0;
  }

  /** Resolves after the time, or when `wake` is called. */
  sleep(backoffMs: number): Promise<void> {
    if (this.#awake) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#sleepers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, backoffMs);
      this.#sleepers.add(wake);
    });
  }

  /** Ends every pause, for good: the window is over. */
  wake(): void {
    this.#awake = true;
    for (const wake of this.#sleepers) wake();
  }
}
