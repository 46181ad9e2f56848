import type { ServerCounters, ServerInFlight } from '../protocol.ts';
import type { OperationOutcome } from '@fair-bench/contract';

/** One process's counters: outstanding operations, and outcomes of answered requests. */
export class ServerLedger {
  #now = 0;
  #peak = 0;
  readonly #counters = { applied: 0, declined: 0, faults: 0, retries: 0 };

  /** Operations of one request have been received. Returns the number of outstanding ones, including them. */
  enter(operations = 1): number {
    this.#now += operations;
    if (this.#now > this.#peak) this.#peak = this.#now;
    return this.#now;
  }

  /** Their reply is being written. */
  leave(operations = 1): void {
    this.#now -= operations;
  }

  count(outcome: OperationOutcome): void {
    const counters = this.#counters;
    counters.retries += outcome.retries;
    if (outcome.kind === 'applied') counters.applied += 1;
    else if (outcome.kind === 'declined') counters.declined += 1;
    else counters.faults += 1;
  }

  counters(): ServerCounters {
    return { ...this.#counters };
  }

  inFlight(): ServerInFlight {
    return { now: this.#now, peak: this.#peak };
  }

  resetPeak(): void {
    this.#peak = this.#now;
  }
}
