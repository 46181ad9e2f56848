import { readFileSync } from 'node:fs';

/** A workload's own functions without the locks that they take on what they read: each writes what it made of it, whatever others wrote since. */
export function takesNoLocks(workload: string): string {
  const path = new URL(`../../../../workloads/${workload}/postgres.sql`, import.meta.url);
  const [functions = ''] = readFileSync(path, 'utf8').split('-- operation:');
  const unlocked = functions.replaceAll(' FOR UPDATE', '');
  if (unlocked === functions) throw new Error(`${workload} takes no locks that could be left out`);
  return unlocked;
}
