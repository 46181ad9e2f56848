import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '@fair-bench/contract';
import { sendSignal } from './process-table.ts';

/**
 * Stops these processes and all below them, and returns a function that resumes them; call it once. A stopped process
 * holds no kernel lock. Only Linux has /proc to find them; elsewhere nothing is stopped.
 */
export function suspend(roots: readonly number[]): () => void {
  if (process.platform !== 'linux') return () => undefined;
  // The roots first, so that they start nothing meanwhile.
  const stopped = roots.filter((pid) => sendSignal(pid, 'SIGSTOP'));
  for (const pid of stopped.flatMap(descendantsOf)) if (sendSignal(pid, 'SIGSTOP')) stopped.push(pid);
  return () => {
    for (const pid of stopped.splice(0)) sendSignal(pid, 'SIGCONT');
  };
}

/** Resumes a process and all below it. */
export function resume(root: number): void {
  if (process.platform !== 'linux') return;
  for (const pid of [root, ...descendantsOf(root)]) sendSignal(pid, 'SIGCONT');
}

/** All processes below this one, the deepest first. Linux only. */
export function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [...descendantsOf(child), child]);
}

function childrenOf(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  try {
    return readdirSync(tasks).flatMap((task) =>
      readFileSync(join(tasks, task, 'children'), 'utf8')
        .split(' ')
        .flatMap((word) => (word.trim() === '' ? [] : [Number(word)])),
    );
  } catch (error) {
    // It has ended meanwhile.
    if (hasCode(error, 'ENOENT', 'ESRCH')) return [];
    throw error;
  }
}
