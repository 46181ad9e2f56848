import type { OperationOutcome } from '@fair-bench/contract';

/** The outstanding calls of a connection whose client does not settle them when the connection ends. */
export class Outstanding {
  readonly #settles = new Set<(outcome: OperationOutcome) => void>();

  /** `send` sends one operation and calls `settle` at its reply; a `settle` after `settleAll` does nothing. */
  call(send: (settle: (outcome: OperationOutcome) => void) => void): Promise<OperationOutcome> {
    return new Promise((resolve) => {
      this.#settles.add(resolve);
      send((outcome) => {
        this.#settles.delete(resolve);
        resolve(outcome);
      });
    });
  }

  /** Settles every outstanding call: the connection is gone. */
  settleAll(outcome: OperationOutcome): void {
    for (const settle of this.#settles) settle(outcome);
    this.#settles.clear();
  }
}
