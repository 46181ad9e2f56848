import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { targetWorkload, workloadNamed } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import { describeKill, type KillReport, killUnderLoad, withKillableTarget } from '@fair-bench/runner';
import { loneTargetOptions } from '@fair-bench/supervisor';
import connector from '../src/index.ts';

const testTimeoutMs = 120_000;
const loadMs = 700;
const killsMax = 15;
const clientModulePath = fileURLToPath(new URL('../src/clients/driver.ts', import.meta.url));

test(
  'synchronous_commit=off: some of what was acknowledged is lost, so the same test can see it',
  async ({ skip }) => {
    if (process.platform !== 'linux') skip('finds the processes in /proc, which only Linux has');
    const outcomes: string[] = [];
    while (outcomes.length < killsMax && outcomes.at(-1) !== 'lost')
      outcomes.push((await killOnce()).outcome);
    expect(outcomes).toContain('lost');
  },
  testTimeoutMs,
);

async function killOnce(): Promise<KillReport> {
  const workload = await workloadNamed('transfer');
  const options = { ...loneTargetOptions, durability: 'async' as const, workload: targetWorkload(workload) };
  const setting = { route: routeOf(connector, 'driver'), options };
  const load = { workload, clientModulePath, loadMs, batch: 1 };
  const report = await withKillableTarget(setting, async (target) => await killUnderLoad(target, load));
  process.stdout.write(`synchronous_commit=off: ${describeKill(report)}\n`);
  return report;
}
