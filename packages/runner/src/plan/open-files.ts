import { readFileSync } from 'node:fs';
import { InputError } from '@fair-bench/contract';
import type { RunPlan } from '@fair-bench/results';

/** Of a process beside its sessions and its pool: modules, logs, pipes, the event loop. */
const otherFiles = 100;

/**
 * Rejects with an InputError where a load client or an application server would have more open files than the system
 * gives a process.
 */
export function refuseTooManyFiles({ cells, targets }: Pick<RunPlan, 'cells' | 'targets'>): void {
  const most = openFilesMax();
  if (most === null) return;
  const sessions = Math.max(0, ...cells.map((cell) => cell.sessions));
  const pool = Math.max(0, ...targets.map(({ poolSize }) => poolSize));
  const needed = sessions + pool + otherFiles;
  if (needed <= most) return;
  const fits = most - otherFiles - pool;
  const smaller = fits < 1 ? '' : `, or run it with --sessions ${fits}`;
  throw new InputError(
    `${sessions} sessions and a pool of ${pool} need ${needed} open files of one process, and the system gives ${most} ` +
      `(ulimit -n); raise that by ulimit -n ${needed}${smaller}`,
  );
}

/** Null where the system does not say. Node.js raises its own limit to the highest that it is permitted. */
function openFilesMax(): number | null {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}
