import type { ProcessRef } from '@fair-bench/contract';
import { LonePlace } from '@fair-bench/supervisor';

/** Where one route's target is started for each workload in turn: servers under it stay for the next one. */
export class Stage {
  readonly place = new LonePlace();
  #left = 0;
  /** Servers that were left running for the next workload. */
  #staying: readonly number[] = [];

  /** Call it for each fixture before any is started. */
  expect(): void {
    this.#left += 1;
  }

  /**
   * Call it once when a fixture's target is closed. Ends everything with the last one. Resolves with the processes that must have
   * ended.
   */
  async leave(processes: readonly ProcessRef[]): Promise<readonly number[]> {
    this.#left -= 1;
    const all = processes.map(({ pid }) => pid);
    if (this.#left <= 0) {
      await this.place.close();
      return [...this.#staying, ...all];
    }
    this.#staying = processes.filter(({ role }) => role === 'database').map(({ pid }) => pid);
    return all.filter((pid) => !this.#staying.includes(pid));
  }
}
