import type { Outcome } from '@fair-bench/contract';

/** The calls under way on a connection whose client leaves them unsettled when the connection ends. */
export class Outstanding<Settled = Outcome> {
  readonly #settles = new Set<(outcome: Settled) => void>();

  /** `send` sends one operation and calls `settle` at its reply; a `settle` after `settleAll` does nothing. */
  call(send: (settle: (outcome: Settled) => void) => void): Promise<Settled> {
    return new Promise((resolve) => {
      this.#settles.add(resolve);
      send((outcome) => {
        this.#settles.delete(resolve);
        resolve(outcome);
      });
    });
  }

  /** Settles every call under way: the connection is gone. */
  settleAll(outcome: Settled): void {
    for (const settle of this.#settles) settle(outcome);
    this.#settles.clear();
  }
}
