import type { HostConditions, Phase } from '@fair-bench/results';
import type { ProcessRef, Provider } from '@fair-bench/contract';
import { hostConditions, type HostReading, readHost } from '../probes/host.ts';
import { type ByRole, readCpuUs, readMemoryBytes } from '../probes/process-usage.ts';

/** CPU microseconds of a role over the window, and its memory at the end of it; null where it could not be read. */
export interface RoleUsage {
  readonly cpuUs: number | null;
  readonly rssMb: number | null;
}

export type WindowUsage = Readonly<Record<ProcessRef['role'], RoleUsage>>;

interface CpuReading {
  readonly atMs: number;
  readonly cpuUs: ByRole;
  readonly host: HostReading | null;
}

/** Reads what the target's processes and the machine did between the beginning and the end of the window. */
export class WindowUsageReader {
  readonly #processes: readonly ProcessRef[];
  #before: CpuReading | null = null;
  #after: CpuReading | null = null;
  #memory: Promise<ByRole> | null = null;

  constructor(processes: readonly ProcessRef[]) {
    this.#processes = processes;
  }

  /** To be called when the load client says that a phase begins. */
  phase(phase: Phase): void {
    if (phase === 'window') this.#before = this.#readCpu();
    if (phase !== 'drain') return;
    this.#after = this.#readCpu();
    this.#memory = readMemoryBytes(this.#processes);
  }

  /**
   * For a window of `windowMs`. On a machine without a free processor the beginning of a phase is heard of late: CPU time
   * is that of the time between the two readings, in proportion.
   */
  async usage(windowMs: number): Promise<WindowUsage> {
    const memory = await this.#memory;
    const ofRole = (role: ProcessRef['role']): RoleUsage => {
      const bytes = memory?.[role] ?? null;
      return { cpuUs: this.#cpuUs(role, windowMs), rssMb: bytes === null ? null : bytes / 2 ** 20 };
    };
    return { appServer: ofRole('appServer'), database: ofRole('database') };
  }

  /**
   * What the machine did between the two readings; null where the system does not say. Processes that are not the
   * run's are distinguished where all of the target's are known.
   */
  host(provider: Provider): HostConditions | null {
    const [before, after] = [this.#before?.host ?? null, this.#after?.host ?? null];
    if (before === null || after === null) return null;
    const known = provider !== 'url' && provider !== 'docker';
    const roots = [process.pid, ...this.#processes.map(({ pid }) => pid)];
    return hostConditions(before, after, known ? roots : null);
  }

  #cpuUs(role: ProcessRef['role'], windowMs: number): number | null {
    const [before, after] = [this.#before, this.#after];
    const [start, end] = [before?.cpuUs[role] ?? null, after?.cpuUs[role] ?? null];
    if (before === null || after === null || start === null || end === null) return null;
    // Less than before: a process ended while one of the two readings was made, and its time was lost with it.
    return end < start ? null : (end - start) * (windowMs / (after.atMs - before.atMs));
  }

  #readCpu(): CpuReading {
    const host = readHost();
    return { atMs: performance.now(), cpuUs: readCpuUs(this.#processes, host?.processes ?? null), host };
  }
}
