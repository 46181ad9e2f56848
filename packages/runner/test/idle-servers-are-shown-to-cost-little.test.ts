import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { TrialRecord } from '@fair-bench/results';
import { IdleServers } from '../src/measure/idle-servers.ts';
import { passedTrial, planOf, present } from '../../analysis/test/support/trial-records.ts';

const windowMs = 700;

test.for([
  ['waits', 'setInterval(() => {}, 1000)', []],
  ['keeps a processor busy', 'for (;;) {}', ['idle-servers']],
] as const)('a server of another target that %s', async ([, script, codes], { skip }) => {
  if (process.platform !== 'linux') skip('reads /proc, which only Linux has');
  const server = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
  try {
    // Its start is no part of the window.
    await sleep(400);
    const idle = new IdleServers([{ role: 'database', pid: present(server.pid) }]);
    idle.phase('window');
    await sleep(windowMs);
    idle.phase('drain');
    const record: TrialRecord = idle.noted(
      passedTrial({ cell: present(planOf({ targets: ['a-http'] }).cells[0]), round: 0, applied: 1000 }),
    );
    expect(record.warnings.map(({ code }) => code)).toEqual(codes);
    expect(record).toHaveProperty('idleServersShare', expect.any(Number));
  } finally {
    server.kill('SIGKILL');
  }
});

test('a target that runs alone has nothing beside it', () => {
  const idle = new IdleServers([]);
  idle.phase('window');
  idle.phase('drain');
  const trial = passedTrial({
    cell: present(planOf({ targets: ['a-http'] }).cells[0]),
    round: 0,
    applied: 1000,
  });
  expect(idle.noted(trial)).toEqual(trial);
});
