import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { byRole, type ProcessRef, type ProcessRole, hasCode } from '@fair-bench/contract';

/** The kernel's clock tick in /proc, a constant of its interface on every architecture that Node runs on. */
export const ticksPerSecond = 100;
/** How often processes are read again, at most, because one ended meanwhile. */
const readAttempts = 4;
/** PF_KTHREAD of the kernel's flags of a process. */
const kernelThreadFlag = 0x00200000;

/** Of process trees, by role; null where the system does not report it, and for a role without a process. */
export type ByRole = Readonly<Record<ProcessRole, number | null>>;

/** A process in /proc. */
export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  /** A thread of the kernel's own. */
  readonly isKernel: boolean;
  /** Of CPU time since its start, without its children's. */
  readonly ownTicks: number;
  /** Since its start: its own, and of children that have ended and were waited for. */
  readonly cpuTicks: number;
}

/**
 * CPU microseconds of every process tree since its start, including ended children. Reads everything without
 * yielding, so that it describes one moment even on a busy machine. Linux only.
 */
export function readCpuUs(processes: readonly ProcessRef[], stats = readProcesses()): ByRole {
  const treeOf = treesIn(processes, stats);
  return byRole((role) => {
    const ticks = treeOf(role)?.reduce((sum, member) => sum + member.cpuTicks, 0);
    return ticks === undefined ? null : (ticks / ticksPerSecond) * 1e6;
  });
}

/**
 * Proportional memory of every process tree now, in bytes. The kernel walks the page tables for it, which is too
 * expensive inside a window. Linux only.
 */
export async function readMemoryBytes(processes: readonly ProcessRef[]): Promise<ByRole> {
  const treeOf = treesIn(processes, readProcesses());
  const bytesOf = async (role: ProcessRole): Promise<number | null> => {
    const members = treeOf(role);
    if (members === null) return null;
    const each = await Promise.all(members.map(async ({ pid }) => await proportionalBytes(pid)));
    return each.reduce((sum, bytes) => sum + bytes, 0);
  };
  return {
    appServer: await bytesOf('appServer'),
    pooler: await bytesOf('pooler'),
    database: await bytesOf('database'),
  };
}

/**
 * Bytes that these process trees have caused to be written to a disk so far, with those of children that have ended
 * (`write_bytes` of /proc/PID/io): a page counts when it becomes dirty, so one that is flushed and written again counts
 * again, and one in memory (tmpfs) never. Null where no process is known, or one's figures may not be read.
 */
export function readWrittenBytes(processes: readonly Pick<ProcessRef, 'pid'>[]): number | null {
  const stats = readProcesses();
  if (stats === null || processes.length === 0) return null;
  const members = membersOf(
    processes.map(({ pid }) => pid),
    stats,
  );
  let sum = 0;
  for (const { pid } of members) {
    const bytes = writtenBytesOf(pid);
    if (bytes === null) return null;
    sum += bytes;
  }
  return sum;
}

/** One that has just ended is among its parent's children. */
function writtenBytesOf(pid: number): number | null {
  try {
    const bytes = /^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1];
    return bytes === undefined ? null : Number(bytes);
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ESRCH')) return 0;
    return null;
  }
}

type TreeOf = (role: ProcessRole) => readonly ProcessStat[] | null;

function treesIn(processes: readonly ProcessRef[], stats: readonly ProcessStat[] | null): TreeOf {
  if (stats === null) return () => null;
  return (role) => {
    const roots = processes.filter((reference) => reference.role === role).map(({ pid }) => pid);
    return roots.length === 0 ? null : membersOf(roots, stats);
  };
}

/** Every process now, or those of `known` that are left, in one go; null where there is no /proc. */
export function readProcesses(known?: readonly number[]): readonly ProcessStat[] | null {
  if (process.platform !== 'linux') return null;
  let pids = known;
  for (let attempt = 1; ; attempt += 1) {
    const all = (pids ?? listPids()).map(readStat);
    const stats = all.filter((stat) => stat !== null);
    // The CPU time of a process that just ended belongs neither to it nor to its parent yet.
    if (stats.length === all.length || attempt === readAttempts) return stats;
    if (pids !== undefined) pids = stats.map(({ pid }) => pid);
  }
}

function listPids(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function readStat(pid: number): ProcessStat | null {
  const text = unlessEnded(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (text === null) return null;
  // The command's name may hold spaces and parentheses: the fields begin after the last parenthesis.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const sumOf = (until: number): number =>
    fields.slice(11, until).reduce((sum, field) => sum + Number(field), 0);
  const command = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'));
  const isKernel = (Number(fields[6]) & kernelThreadFlag) !== 0;
  const parent = Number(fields[1]);
  return { pid, parent, command, isKernel, ownTicks: sumOf(13), cpuTicks: sumOf(15) };
}

/**
 * A process in words: the kernel's name of it, or an interpreter and its script, `node main.ts`. Other arguments are
 * left out, because they may be secret.
 */
export function nameOf({ pid, command }: Pick<ProcessStat, 'pid' | 'command'>): string {
  const line = unlessEnded(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '';
  const [program = '', ...words] = line.split('\0');
  const script = words.find((word) => !word.startsWith('-')) ?? '';
  return /\.([cm]?[jt]s|jar|pl|py|rb)$/.test(script) ? `${basename(program)} ${basename(script)}` : command;
}

/** A process may end between listing and reading. */
function unlessEnded(read: () => string): string | null {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH')) return null;
    throw error;
  }
}

/** The processes of these trees. */
export function membersOf(roots: readonly number[], stats: readonly ProcessStat[]): readonly ProcessStat[] {
  const members = new Set(roots);
  let known = -1;
  while (known !== members.size) {
    known = members.size;
    for (const entry of stats) if (members.has(entry.parent)) members.add(entry.pid);
  }
  return stats.filter((entry) => members.has(entry.pid));
}

/** Proportional set size: pages that a database's processes share are counted once. */
async function proportionalBytes(pid: number): Promise<number> {
  // A process may end, or belong to another user.
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => null);
  const kibibytes = text === null ? undefined : /^Pss:\s+(\d+) kB$/m.exec(text)?.[1];
  return kibibytes === undefined ? 0 : Number(kibibytes) * 1024;
}
