import type { HostConditions, Phase } from '@fair-bench/results';
import type { ProcessRef, Provider } from '@fair-bench/contract';
import {
  type ByRole,
  hostConditions,
  type HostReading,
  type MachineReading,
  membersOf,
  readCpuUs,
  readHost,
  readMachine,
  readMemoryBytes,
  readProcesses,
} from '@fair-bench/supervisor';

/** CPU microseconds of a role over the window, and its memory at the end of it; null where it could not be read. */
export interface RoleUsage {
  readonly cpuUs: number | null;
  readonly rssMb: number | null;
}

export type WindowUsage = Readonly<Record<ProcessRef['role'], RoleUsage>>;

interface CpuReading<Host extends MachineReading> {
  readonly atMs: number;
  readonly cpuUs: ByRole;
  readonly host: Host | null;
}

/**
 * Reads what the target's processes and the machine did between the beginning and the end of the window. All processes are
 * listed as the warm-up begins: at the window's beginning that would take from the load what it measures.
 */
export class WindowUsageReader {
  readonly #processes: readonly ProcessRef[];
  #listed: HostReading | null = null;
  #before: CpuReading<MachineReading> | null = null;
  #after: CpuReading<HostReading> | null = null;
  #memory: Promise<ByRole> | null = null;

  constructor(processes: readonly ProcessRef[]) {
    this.#processes = processes;
  }

  /** To be called when the load client says that a phase begins. */
  phase(phase: Phase): void {
    if (phase === 'warmup') this.#listed = readHost();
    if (phase === 'window') this.#before = this.#readKnown();
    if (phase !== 'drain') return;
    const host = readHost();
    const cpuUs = readCpuUs(this.#processes, host?.processes ?? null);
    this.#after = { atMs: performance.now(), cpuUs, host };
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
   * What the machine did between the two readings, and what others took since the warm-up began; null where the system does not
   * say. Processes that are not the run's are distinguished where all of the target's are known; `agents` are load agents of this
   * machine.
   */
  host(provider: Provider, agents: readonly number[] = []): HostConditions | null {
    const [before, after] = [this.#before?.host ?? null, this.#after?.host ?? null];
    if (before === null || after === null) return null;
    const since = this.#listed;
    const known = provider !== 'url' && provider !== 'docker';
    const roots = [process.pid, ...agents, ...this.#processes.map(({ pid }) => pid)];
    return hostConditions(before, after, known && since !== null ? { since, roots } : null);
  }

  #cpuUs(role: ProcessRef['role'], windowMs: number): number | null {
    const [before, after] = [this.#before, this.#after];
    const [start, end] = [before?.cpuUs[role] ?? null, after?.cpuUs[role] ?? null];
    if (before === null || after === null || start === null || end === null) return null;
    // Less than before: a process ended while one of the two readings was made, and its time was lost with it.
    return end < start ? null : (end - start) * (windowMs / (after.atMs - before.atMs));
  }

  /** The target's processes that were there as the warm-up began; what started since begins at nothing. */
  #readKnown(): CpuReading<MachineReading> {
    const roots = this.#processes.map(({ pid }) => pid);
    const members = membersOf(roots, this.#listed?.processes ?? []).map(({ pid }) => pid);
    const cpuUs = readCpuUs(this.#processes, readProcesses(members));
    return { atMs: performance.now(), cpuUs, host: readMachine() };
  }
}
