import type { Phase, ProcessRef } from '@fair-bench/contract';
import { readUsage, type UsageByRole } from '../rulers/process-usage.ts';

/** CPU microseconds and peak memory of a role over the window; null where it could not be read. */
export interface RoleUsage {
  readonly cpuUs: number | null;
  readonly rssMb: number | null;
}

export type WindowUsage = Readonly<Record<ProcessRef['role'], RoleUsage>>;

/** Reads what the target's processes used between the beginning and the end of the window. */
export class WindowUsageReader {
  readonly #processes: readonly ProcessRef[];
  #before: Promise<UsageByRole> | null = null;
  #after: Promise<UsageByRole> | null = null;

  constructor(processes: readonly ProcessRef[]) {
    this.#processes = processes;
  }

  /** To be called when the load client says that a phase begins. */
  phase(phase: Phase): void {
    if (phase === 'window') this.#before = readUsage(this.#processes);
    if (phase === 'drain') this.#after = readUsage(this.#processes);
  }

  async usage(): Promise<WindowUsage> {
    const before = await this.#before;
    const after = await this.#after;
    const ofRole = (role: ProcessRef['role']): RoleUsage => {
      const start = before?.[role];
      const end = after?.[role];
      if (start === undefined || start === null || end === undefined || end === null)
        return { cpuUs: null, rssMb: null };
      return { cpuUs: end.cpuUs - start.cpuUs, rssMb: end.rssBytes / 2 ** 20 };
    };
    return { appServer: ofRole('appServer'), database: ofRole('database') };
  }
}
