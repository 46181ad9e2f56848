import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { descendantsOf } from '@fair-bench/supervisor';
import { IdleServers } from '../src/measure/idle-servers.ts';
import { present } from '@fair-bench/analysis/test-support';

const windowMs = 700;
/** Ends by itself, even if no test remains to end it. */
const busy = 'const endMs = Date.now() + 15_000; while (Date.now() < endMs);';

test('servers of other targets, and what they started, stand still while one is measured', async ({
  skip,
}) => {
  if (process.platform !== 'linux') skip('reads /proc, which only Linux has');
  const parent = `require('node:child_process').spawn(process.execPath, ['-e', '${busy}'])`;
  const server = spawn(process.execPath, ['-e', parent], { stdio: 'ignore' });
  try {
    const root = present(server.pid);
    // Its start is outside of the window.
    await until(() => descendantsOf(root).length > 0);
    const child = present(descendantsOf(root)[0]);
    const idle = new IdleServers([{ role: 'database', pid: root }]);
    idle.hear({ type: 'phase', phase: 'warmup' });
    for (const pid of [root, child]) await until(() => stateOf(pid) === 'T');
    await sleep(windowMs);
    idle.hear({ type: 'phase', phase: 'drain' });
    expect(idle.end()).toEqual({ parts: { idleServersShare: 0 }, warnings: [] });
    await until(() => stateOf(child) === 'R');
  } finally {
    for (const child of descendantsOf(present(server.pid))) process.kill(child, 'SIGKILL');
    server.kill('SIGKILL');
  }
});

test('they go on when a trial ends without a drain', async ({ skip }) => {
  if (process.platform !== 'linux') skip('reads /proc, which only Linux has');
  const server = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  try {
    const root = present(server.pid);
    {
      using idle = new IdleServers([{ role: 'database', pid: root }]);
      idle.hear({ type: 'phase', phase: 'warmup' });
      await until(() => stateOf(root) === 'T');
    }
    await until(() => stateOf(root) !== 'T');
    expect(stateOf(root)).not.toBe('T');
  } finally {
    server.kill('SIGKILL');
  }
});

test('busy servers that cannot be stopped cause a warning', async ({ skip }) => {
  if (process.platform !== 'linux') skip('reads /proc, which only Linux has');
  const server = spawn(process.execPath, ['-e', busy], { stdio: 'ignore' });
  try {
    const root = present(server.pid);
    const idle = new IdleServers([{ role: 'database', pid: root }]);
    idle.hear({ type: 'phase', phase: 'warmup' });
    server.kill('SIGCONT');
    await sleep(windowMs);
    idle.hear({ type: 'phase', phase: 'drain' });
    expect(idle.end().warnings?.map(({ code }) => code)).toEqual(['idle-servers']);
  } finally {
    server.kill('SIGKILL');
  }
});

test('a target that runs alone has no idle servers', () => {
  const idle = new IdleServers([]);
  idle.hear({ type: 'phase', phase: 'warmup' });
  idle.hear({ type: 'phase', phase: 'drain' });
  expect(idle.end()).toEqual({ parts: {} });
});

/** The kernel's letter for a process's state: T for stopped. */
function stateOf(pid: number): string {
  return present(/\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
}

async function until(holds: () => boolean): Promise<void> {
  for (let waitedMs = 0; !holds(); waitedMs += 10) {
    if (waitedMs > 5_000) throw new Error('waited in vain');
    await sleep(10);
  }
}
