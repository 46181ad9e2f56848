import type { HostConditions, Phase } from '@fair-bench/results';
import { byRole, type ProcessRef, type ProcessRole, type Provider } from '@fair-bench/contract';
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
interface RoleUsage {
  readonly cpuUs: number | null;
  readonly rssMb: number | null;
}

export type WindowUsage = Readonly<Record<ProcessRole, RoleUsage>>;

interface CpuReading<Host extends MachineReading> {
  readonly atMs: number;
  readonly cpuUs: ByRole;
  readonly host: Host | null;
}

/**
 * Measures the target's processes and the machine between the beginning and the end of the window. It lists all processes
 * when the warm-up begins: at the window's beginning that would take time from the load.
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

  /** Call it when the load client reports a phase. */
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
   * For a window of `windowMs`. On a busy machine the phase is reported late: CPU time is scaled from the time
   * between the two readings.
   */
  async usage(windowMs: number): Promise<WindowUsage> {
    const memory = await this.#memory;
    return byRole((role) => {
      const bytes = memory?.[role] ?? null;
      return { cpuUs: this.#cpuUs(role, windowMs), rssMb: bytes === null ? null : bytes / 2 ** 20 };
    });
  }

  /**
   * The machine between the two readings, and foreign processes since the warm-up began; null where the system does not
   * report it. Foreign processes are separated if all of the target's processes are known.
   */
  host(provider: Provider, agents: readonly number[] = []): HostConditions | null {
    const [before, after] = [this.#before?.host ?? null, this.#after?.host ?? null];
    if (before === null || after === null) return null;
    const since = this.#listed;
    const known = provider !== 'url' && provider !== 'docker';
    const roots = [process.pid, ...agents, ...this.#processes.map(({ pid }) => pid)];
    return hostConditions(before, after, known && since !== null ? { since, roots } : null);
  }

  #cpuUs(role: ProcessRole, windowMs: number): number | null {
    const [before, after] = [this.#before, this.#after];
    const [start, end] = [before?.cpuUs[role] ?? null, after?.cpuUs[role] ?? null];
    if (before === null || after === null || start === null || end === null) return null;
    // A smaller value: a process ended during one of the readings, and its time was lost.
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
