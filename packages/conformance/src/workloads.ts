import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadWorkload, type LoadedWorkload } from '@fair-bench/runner';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The workload of a run that names none: its tests come first. */
const firstWorkload = 'transfer';

/** The repository's workloads, by the names of their folders. */
export function workloadNames(): string[] {
  const folder = join(root, 'workloads');
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'workload.ts')))
    .sort((a, b) => Number(b === firstWorkload) - Number(a === firstWorkload) || a.localeCompare(b));
}

const loaded = new Map<string, Promise<LoadedWorkload>>();

/** Loaded once for each process that runs tests. */
export async function workloadNamed(name: string): Promise<LoadedWorkload> {
  const found = loaded.get(name) ?? loadWorkload(root, name);
  loaded.set(name, found);
  return await found;
}
