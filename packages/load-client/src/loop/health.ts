import type { Fault, FaultCode, OperationOutcome } from '@fair-bench/contract';
import { faultPauseMsMax } from '@fair-bench/results/protocol';
import type { LoopSession, Slot } from './slot-state.ts';

const backoffMsFirst = 10;

/** Faults of a session that does not work: when every session has one, the target is lost. */
const deadFaults: ReadonlySet<FaultCode> = new Set(['connection-lost', 'connection-refused', 'internal']);

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

  /**
   * Records an outcome; returns the slot's pause in milliseconds: 0, or 10, 20, 40 … 500 after faults in a row, whatever
   * their code. A fault that returns at once would otherwise be sent again at once, and count instead of the work.
   */
  observe(slot: Slot, outcome: OperationOutcome): number {
    if (outcome.kind === 'fault') {
      slot.failures += 1;
      if (deadFaults.has(outcome.code)) this.#dead(slot.owner, outcome);
      return Math.min(backoffMsFirst * 2 ** (slot.failures - 1), faultPauseMsMax);
    }
    slot.failures = 0;
    if (slot.owner.failing) {
      slot.owner.failing = false;
      this.#working += 1;
      if (this.#working === 1) this.#events.recovered();
    }
    return 0;
  }

  #dead(session: LoopSession, { code, message }: Fault): void {
    if (!session.failing) {
      session.failing = true;
      this.#working -= 1;
      this.#lostCode = null;
    }
    if (this.#working !== 0 || this.#lostCode === code) return;
    this.#lostCode = code;
    this.#events.lost(`${code}: ${message}`);
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
