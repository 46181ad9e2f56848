import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { membersOf, nameOf, type ProcessStat, readProcesses, ticksPerSecond } from './process-usage.ts';

/** The kernel's counters of the whole machine at one moment. */
export interface MachineReading {
  readonly atMs: number;
  /** Of all processors since the machine started, ticks. */
  readonly busyTicks: number;
  readonly stealTicks: number;
  readonly allTicks: number;
  /** Total time in which at least one task waited for a processor, microseconds; null without pressure information. */
  readonly waitingUs: number | null;
  /** Tasks that run or wait for a processor, except this one. */
  readonly runnable: number | null;
  /** Mean of the processors; NaN where the kernel does not say. */
  readonly frequencyMhz: number;
}

/** With every process: some ten milliseconds of a processor. */
export interface HostReading extends MachineReading {
  readonly processes: readonly ProcessStat[];
}

/** Reads everything without yielding. Null without /proc. */
export function readHost(): HostReading | null {
  const processes = readProcesses();
  const machine = readMachine();
  return processes === null || machine === null ? null : { ...machine, processes };
}

/** The same without the processes: cheap enough for a moment at which the load runs. */
export function readMachine(): MachineReading | null {
  const ticks = readTicks();
  if (ticks === null) return null;
  const waitingUs = /^some .*total=(\d+)$/m.exec(textOf('/proc/pressure/cpu'))?.[1];
  const running = / (\d+)\/\d+ /.exec(textOf('/proc/loadavg'))?.[1];
  return {
    atMs: performance.now(),
    ...ticks,
    waitingUs: waitingUs === undefined ? null : Number(waitingUs),
    runnable: running === undefined ? null : Math.max(0, Number(running) - 1),
    frequencyMhz: readFrequencyMhz(),
  };
}

/** The reading that processes are compared with, and the pids of the run itself. Their descendants are the run's too. */
interface Own {
  readonly since: HostReading;
  readonly roots: readonly number[];
}

/**
 * The machine between two readings. Other processes count from `own.since` on; `own` is null if some of the run's
 * processes are unknown and cannot be separated from others.
 */
export function hostConditions(before: MachineReading, after: HostReading, own: Own | null) {
  const cores = availableParallelism();
  const elapsedMs = Math.max(1, after.atMs - before.atMs);
  const allTicks = Math.max(1, after.allTicks - before.allTicks);
  const { waitingUs, runnable } = before;
  const frequencyMhz = (before.frequencyMhz + after.frequencyMhz) / 2;
  const bothWaiting = waitingUs !== null && after.waitingUs !== null;
  return {
    cores,
    busyShare: share(after.busyTicks - before.busyTicks, allTicks),
    stealShare: share(after.stealTicks - before.stealTicks, allTicks),
    waitingShare: bothWaiting ? share(after.waitingUs - waitingUs, elapsedMs * 1000) : null,
    runnable: pairOf(runnable, after.runnable),
    ...foreignUse(own, after, cores),
    ...(frequencyMhz > 0 ? { frequencyMhz } : {}),
  };
}

/**
 * Kernel threads count for nobody: they also work for the run's disk and network. The time of an ended process
 * belongs to its parent by then, so the sums before and after are comparable.
 */
function foreignUse(own: Own | null, after: HostReading, cores: number) {
  if (own === null) return { foreignShare: null, foreignMost: null };
  const { since, roots } = own;
  const elapsedTicks = (Math.max(1, after.atMs - since.atMs) / 1000) * ticksPerSecond * cores;
  const [then, now] = [foreign(since, roots), foreign(after, roots)];
  const ticksThen = new Map(then.map(({ pid, ownTicks }) => [pid, ownTicks]));
  const used = sumOf(now) - sumOf(then);
  const most = now
    .map(({ pid, command, ownTicks }) => ({ pid, command, ticks: ownTicks - (ticksThen.get(pid) ?? 0) }))
    .reduce((a, b) => (b.ticks > a.ticks ? b : a), { pid: 0, command: '', ticks: 0 });
  return {
    foreignShare: share(used, elapsedTicks),
    foreignMost: most.ticks === 0 ? null : { command: nameOf(most), share: share(most.ticks, elapsedTicks) },
  };
}

function pairOf(before: number | null, after: number | null): [number, number] | null {
  return before === null || after === null ? null : [before, after];
}

function foreign({ processes }: HostReading, roots: readonly number[]): readonly ProcessStat[] {
  const own = new Set(membersOf(roots, processes).map(({ pid }) => pid));
  return processes.filter(({ pid, isKernel }) => !isKernel && !own.has(pid));
}

function sumOf(processes: readonly ProcessStat[]): number {
  return processes.reduce((sum, { cpuTicks }) => sum + cpuTicks, 0);
}

/**
 * Of all processors since the machine started; null without /proc. The first line of /proc/stat: user nice system
 * idle iowait irq softirq steal; guests are included in user.
 */
export function readTicks(): Pick<HostReading, 'busyTicks' | 'stealTicks' | 'allTicks'> | null {
  const fields = /^cpu +([\d ]+)$/m.exec(textOf('/proc/stat'))?.[1]?.split(' ').map(Number);
  if (fields === undefined) return null;
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = fields;
  const busyTicks = user + nice + system + irq + softirq;
  return { busyTicks, stealTicks: steal, allTicks: busyTicks + idle + iowait + steal };
}

function readFrequencyMhz(): number {
  const khz = Array.from({ length: availableParallelism() }, (_, cpu) =>
    Number(textOf(`/sys/devices/system/cpu/cpu${cpu}/cpufreq/scaling_cur_freq`) || Number.NaN),
  );
  return khz.reduce((sum, each) => sum + each, 0) / khz.length / 1000;
}

/** Counters of several processors are not read at one instant: a share may be slightly outside of 0 to 1. */
function share(part: number, whole: number): number {
  return Math.min(1, Math.max(0, part / whole));
}

/** Empty where there is no such file: not Linux, or a kernel that was built without it. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
