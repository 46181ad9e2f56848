import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Facts, ProcessRef } from '@fair-bench/contract';
import type { Cell } from '@fair-bench/results';
import { type Cores, findProgram, membersOf, readProcesses } from '@fair-bench/supervisor';
import { allowedCores, listOf, numbersIn, physicalCores, type Pinning } from './cores.ts';

const tasksetMsMax = 5_000;
/** Servers start processes while others are moved: these are moved in the next pass. */
const passesMax = 5;

/**
 * The processors of each cell: those of the run's pinning, or with `--cores`, and the setting `cores`, so many for the servers, and the others for
 * the load client. The servers keep running: every thread of their processes is moved before a trial, and what starts
 * later inherits. A server that counts processors at its start counts those of the machine.
 */
export class CellCores {
  readonly #pinned: Pinning;
  readonly #taskset: string | null;

  private constructor(pinned: Pinning, taskset: string | null) {
    this.#pinned = pinned;
    this.#taskset = taskset;
  }

  static async of(cells: readonly Cell[], pinned: Pinning): Promise<CellCores> {
    const isNeeded = cells.some(({ cores }) => cores !== undefined);
    const taskset = isNeeded ? await findProgram({ system: 'taskset', names: ['taskset'] }) : null;
    return new CellCores(pinned, taskset);
  }

  /** Of the load client on this machine; null for all. */
  client({ cores }: Cell): Cores | null {
    if (cores === undefined || this.#taskset === null) return this.#pinned.cores?.client ?? null;
    const all = processors();
    const others = all.slice(cores);
    return { taskset: this.#taskset, list: listOf([others.length === 0 ? all : others]) };
  }

  /** Why the servers of a target cannot have processors of their own; null if they can. */
  lack({ cores }: Cell, { provider }: Facts): { readonly reason: string; readonly remedy: string } | null {
    if (cores === undefined) return null;
    if (provider === 'url' || provider === 'docker') {
      const reason = `--cores cannot move a server that is not started here (${provider})`;
      return { reason, remedy: 'limit its processors where it runs, and leave out --cores' };
    }
    if (this.#taskset !== null && allowedCores('self') !== null) return null;
    return { reason: '--cores needs taskset, on Linux', remedy: 'install util-linux' };
  }

  /**
   * Moves the servers of a cell: to all processors where it names none, since another cell may have moved them. Rejects
   * unless the kernel lists these processors for every thread of theirs.
   */
  async move({ id, cores }: Cell, servers: readonly ProcessRef[]): Promise<void> {
    if (this.#taskset === null) return;
    const list = listOf([processors().slice(0, cores)]);
    for (let pass = 0; pass < passesMax; pass += 1) {
      const elsewhere = membersIn(servers).filter((pid) => !isOn(pid, list));
      if (elsewhere.length === 0) return;
      for (const pid of elsewhere) await moveTo(this.#taskset, list, pid);
    }
    throw new Error(`${id}: its servers could not be moved to the processors ${list}`);
  }
}

/** The processors of every process of these trees, as the kernel lists them, each list once. */
export function coresOfTrees(servers: readonly ProcessRef[]): readonly string[] {
  return [...new Set(membersIn(servers).flatMap((pid) => allowedCores(pid) ?? []))].toSorted();
}

function membersIn(servers: readonly ProcessRef[]): readonly number[] {
  return membersOf(
    servers.map(({ pid }) => pid),
    readProcesses() ?? [],
  ).map(({ pid }) => pid);
}

/** Whole cores first, so that two processors are not two threads of one core. */
function processors(): readonly number[] {
  const cores = physicalCores();
  const threads = Math.max(0, ...cores.map(({ length }) => length));
  return Array.from({ length: threads }, (_, thread) => cores.flatMap((core) => core[thread] ?? [])).flat();
}

function isOn(pid: number, list: string): boolean {
  const wanted = numbersIn(list).join();
  return tasksOf(pid).every((task) => {
    const allowed = allowedCores(`${pid}/task/${task}`);
    // A thread that has ended is nowhere.
    return allowed === null || numbersIn(allowed).join() === wanted;
  });
}

function tasksOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    // The process has ended.
    return [];
  }
}

async function moveTo(taskset: string, list: string, pid: number): Promise<void> {
  const words = ['--all-tasks', '--cpu-list', '--pid', list, String(pid)];
  // It fails where a thread ended meanwhile; what the kernel lists decides.
  await promisify(execFile)(taskset, words, { timeout: tasksetMsMax }).catch(() => undefined);
}
