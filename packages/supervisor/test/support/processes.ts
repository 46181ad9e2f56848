import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessSpecification } from '@fair-bench/contract';
import { startTimeOf } from '../../src/process-table.ts';

/** A Node.js process that runs `script` and is ready once it has printed a line. */
export function scriptSpecification(
  name: string,
  script: string,
  changes: Partial<ProcessSpecification> = {},
): ProcessSpecification {
  return {
    name,
    command: process.execPath,
    arguments: ['-e', script],
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 2_000,
    ready: { timeoutMs: 10_000, check: (output) => output.includes('\n') },
    ...changes,
  };
}

/** Waits until a process is gone; false when it is still there after `timeoutMs`. */
export async function isGone(pid: number, timeoutMs: number): Promise<boolean> {
  return await becomesTrue(() => startTimeOf(pid) === null, timeoutMs);
}

export async function isRemoved(path: string, timeoutMs: number): Promise<boolean> {
  return await becomesTrue(() => !existsSync(path), timeoutMs);
}

async function becomesTrue(condition: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}
