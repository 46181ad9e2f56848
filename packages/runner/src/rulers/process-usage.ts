import { readFile, readdir } from 'node:fs/promises';
import type { ProcessRef } from '@fair-bench/contract';

/** The kernel's clock tick in /proc, a constant of its interface on every architecture that Node runs on. */
const ticksPerSecond = 100;

/** CPU time since their start and memory now, of process trees; null where the system does not tell. */
export interface Usage {
  readonly cpuUs: number;
  readonly rssBytes: number;
}

export type UsageByRole = Readonly<Record<ProcessRef['role'], Usage | null>>;

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly cpuTicks: number;
}

/**
 * CPU time (own, and of children that have ended) and proportional memory of every process tree in
 * `processes`, by role. Linux only; elsewhere, and for a role without a process, null.
 */
export async function readUsage(processes: readonly ProcessRef[]): Promise<UsageByRole> {
  if (process.platform !== 'linux') return { appServer: null, database: null };
  const stats = await readAllStats();
  const usageOf = async (role: ProcessRef['role']): Promise<Usage | null> => {
    const roots = processes.filter((reference) => reference.role === role).map((reference) => reference.pid);
    if (roots.length === 0) return null;
    const members = membersOf(roots, stats);
    const memory = await Promise.all(members.map((member) => readMemoryBytes(member.pid)));
    return {
      cpuUs: (members.reduce((sum, member) => sum + member.cpuTicks, 0) / ticksPerSecond) * 1e6,
      rssBytes: memory.reduce((sum, bytes) => sum + bytes, 0),
    };
  };
  return { appServer: await usageOf('appServer'), database: await usageOf('database') };
}

async function readAllStats(): Promise<readonly ProcessStat[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(names.map((name) => readStat(Number(name))));
  return stats.filter((entry) => entry !== null);
}

async function readStat(pid: number): Promise<ProcessStat | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(endedMeanwhile);
  if (text === null) return null;
  // The command's name may hold spaces and parentheses: the fields begin after the last parenthesis.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { pid, parent: Number(fields[1]), cpuTicks: ticks };
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
async function readMemoryBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(endedMeanwhile);
  const kibibytes = text === null ? undefined : /^Pss:\s+(\d+) kB$/m.exec(text)?.[1];
  return kibibytes === undefined ? 0 : Number(kibibytes) * 1024;
}

/** A process may end, or belong to another user, between listing and reading. */
function endedMeanwhile(): null {
  return null;
}
