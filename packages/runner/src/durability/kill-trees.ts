import { setTimeout as sleep } from 'node:timers/promises';
import { descendantsOf, sendSignal, startTimeOf } from '@fair-bench/supervisor';

const endTimeoutMs = 20_000;

/**
 * Sends SIGKILL to processes and their descendants at once; resolves when they are gone. It finds them in /proc, so it needs Linux.
 * The roots are stopped first, so that they neither start nor stop other processes. No await between the signals:
 * after the first one, nothing unwritten may be written.
 */
export async function killTrees(roots: readonly number[]): Promise<void> {
  for (const pid of roots) process.kill(pid, 'SIGSTOP');
  const pids = [...roots.flatMap(descendantsOf), ...roots];
  // A child may have ended since it was listed.
  for (const pid of pids) sendSignal(pid, 'SIGKILL');
  const deadline = Date.now() + endTimeoutMs;
  while (pids.some((pid) => startTimeOf(pid) !== null)) {
    if (Date.now() > deadline) throw new Error(`some of the processes ${pids.join(', ')} survive SIGKILL`);
    await sleep(10);
  }
}
