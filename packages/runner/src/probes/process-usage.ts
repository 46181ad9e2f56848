import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ProcessRef } from '@fair-bench/contract';

/** The kernel's clock tick in /proc, a constant of its interface on every architecture that Node runs on. */
const ticksPerSecond = 100;

/** Of process trees, by role; null where the system does not tell, and for a role without a process. */
export type ByRole = Readonly<Record<ProcessRef['role'], number | null>>;

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly cpuTicks: number;
}

/**
 * CPU microseconds of every process tree since its start: its own, and of children that have ended. Reads all in one
 * go without yielding, so that what is read is of one moment however busy the machine is. Linux only.
 */
export function readCpuUs(processes: readonly ProcessRef[]): ByRole {
  const treeOf = treesNow(processes);
  const cpuUsOf = (role: ProcessRef['role']): number | null => {
    const ticks = treeOf(role)?.reduce((sum, member) => sum + member.cpuTicks, 0);
    return ticks === undefined ? null : (ticks / ticksPerSecond) * 1e6;
  };
  return { appServer: cpuUsOf('appServer'), database: cpuUsOf('database') };
}

/**
 * Proportional memory of every process tree now, in bytes. The kernel walks the page tables for it, at a cost that a
 * window should not bear. Linux only.
 */
export async function readMemoryBytes(processes: readonly ProcessRef[]): Promise<ByRole> {
  const treeOf = treesNow(processes);
  const bytesOf = async (role: ProcessRef['role']): Promise<number | null> => {
    const members = treeOf(role);
    if (members === null) return null;
    const each = await Promise.all(members.map(async ({ pid }) => await proportionalBytes(pid)));
    return each.reduce((sum, bytes) => sum + bytes, 0);
  };
  return { appServer: await bytesOf('appServer'), database: await bytesOf('database') };
}

type TreeOf = (role: ProcessRef['role']) => readonly ProcessStat[] | null;

function treesNow(processes: readonly ProcessRef[]): TreeOf {
  if (process.platform !== 'linux') return () => null;
  const stats = readAllStats();
  return (role) => {
    const roots = processes.filter((reference) => reference.role === role).map(({ pid }) => pid);
    return roots.length === 0 ? null : membersOf(roots, stats);
  };
}

function readAllStats(): readonly ProcessStat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? []);
}

function readStat(pid: number): ProcessStat | null {
  const text = unlessEnded(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (text === null) return null;
  // The command's name may hold spaces and parentheses: the fields begin after the last parenthesis.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { pid, parent: Number(fields[1]), cpuTicks: ticks };
}

/** A process may end between listing and reading. */
function unlessEnded(read: () => string): string | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return null;
    throw error;
  }
}

function membersOf(roots: readonly number[], stats: readonly ProcessStat[]): readonly ProcessStat[] {
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
