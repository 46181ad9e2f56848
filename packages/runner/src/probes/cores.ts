import { readFileSync } from 'node:fs';
import type { ProcessRef } from '@fair-bench/contract';
import type { PassedTrial, RunPlan } from '@fair-bench/results';
import { type Cores, findProgram } from '@fair-bench/supervisor';
import { nothingProbed, type Probed, type TrialProbe, type TrialEvent } from './trial-probe.ts';

/** With fewer, the halves are so small that the split itself would be measured. */
const coresMin = 4;

/** The processors of a run's load clients and servers, also in words. */
export interface Pinning {
  /** Null where they share all processors. */
  readonly cores: { readonly client: Cores; readonly servers: Cores } | null;
  readonly words: string;
}

/**
 * Gives load client and servers separate processors, so that neither takes time from the other: whole physical cores,
 * a quarter of them to the client, at least as many as it has threads, at least one to the servers.
 * @param threads the most threads of any load client in the run.
 */
export async function pinning(pin: RunPlan['pin'], threads: number): Promise<Pinning> {
  if (pin === undefined || pin === 'off') return shared('not requested');
  const cores = physicalCores();
  const logical = cores.flat().length;
  if (cores.length < 2) return shared(`there are ${cores.length} cores with numbers of their own`);
  if (pin === 'auto' && logical < coresMin) {
    return shared(`there are fewer than ${coresMin} cores; --pin on splits them anyway`);
  }
  const taskset = await findProgram({ system: 'taskset', names: ['taskset'] });
  if (taskset === null) return shared('there is no taskset on PATH; install util-linux');
  const ofClient = clientShare(cores, threads);
  const client = listOf(cores.slice(0, ofClient));
  const servers = listOf(cores.slice(ofClient));
  return {
    cores: { client: { taskset, list: client }, servers: { taskset, list: servers } },
    words: `load client on ${client}, servers on ${servers}`,
  };
}

/** The processors that a trial's processes may use, read during its warm-up. */
export class CoresReader implements TrialProbe {
  readonly #lists: () => readonly string[];
  #cores: PassedTrial['cores'];

  /** @param lists the processors of the servers, each list once. */
  constructor(lists: () => readonly string[]) {
    this.#lists = lists;
  }

  hear(event: TrialEvent, pid: number | undefined): void {
    if (event.type !== 'phase' || event.phase !== 'warmup') return;
    const client = pid === undefined ? null : allowedCores(pid);
    this.#cores = { client: client ?? 'unknown', servers: [...this.#lists()] };
  }

  end(): Probed {
    return this.#cores === undefined ? nothingProbed : { parts: { cores: this.#cores } };
  }
}

/** The processors of these processes, each list once. */
export function coresOf(servers: readonly ProcessRef[]): readonly string[] {
  return [...new Set(servers.map(({ pid }) => allowedCores(pid) ?? 'unknown'))].toSorted();
}

/** The processors that a process (by its folder in /proc) may use, read from the kernel; null where it does not report them. */
export function allowedCores(pid: number | string): string | null {
  try {
    return /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? null;
  } catch {
    // Not Linux, or it has ended.
    return null;
  }
}

function shared(why: string): Pinning {
  return { cores: null, words: `load client and servers share all processors: ${why}` };
}

/** Cores for the client, out of at least two. */
function clientShare(cores: readonly (readonly number[])[], threads: number): number {
  const perCore = cores[0]?.length ?? 1;
  const wanted = Math.max(1, Math.floor(cores.length / 4), Math.ceil(threads / perCore));
  return Math.min(wanted, cores.length - 1);
}

/** The logical processors that this process may use, grouped by core. */
export function physicalCores(): readonly (readonly number[])[] {
  const siblings = new Map<string, number[]>();
  for (const processor of numbersIn(allowedCores('self') ?? '')) {
    const core = siblingsOf(processor);
    siblings.set(core, [...(siblings.get(core) ?? []), processor]);
  }
  return [...siblings.values()];
}

function siblingsOf(processor: number): string {
  try {
    const path = `/sys/devices/system/cpu/cpu${processor}/topology/thread_siblings_list`;
    return readFileSync(path, 'utf8').trim();
  } catch {
    return String(processor);
  }
}

/** `0,2-3` as 0, 2, 3. */
export function numbersIn(list: string): readonly number[] {
  return list.split(',').flatMap((part) => {
    const [from = '', to = from] = part.split('-');
    if (from === '') return [];
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index);
  });
}

export function listOf(cores: readonly (readonly number[])[]): string {
  return cores
    .flat()
    .toSorted((a, b) => a - b)
    .join(',');
}
