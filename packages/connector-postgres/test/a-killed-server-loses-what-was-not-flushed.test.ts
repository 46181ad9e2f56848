import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  describeKill,
  killUnderLoad,
  type KillFigures,
  targetWorkload,
  workloadNamed,
} from '@fair-bench/conformance';
import { withKillableServer } from './support/killable-server.ts';

const testTimeoutMs = 120_000;
const loadMs = 700;
const killsMax = 15;
const clientModulePath = fileURLToPath(new URL('../src/clients/driver.ts', import.meta.url));
const onLinux = process.platform === 'linux';
const notLinux = 'finds the processes in /proc, which only Linux has';

test(
  'synchronous_commit=off: some of what was acknowledged is lost, so the same test can see it',
  async ({ skip }) => {
    if (!onLinux) skip(notLinux);
    let lost = false;
    for (let kill = 0; kill < killsMax && !lost; kill += 1) {
      const { differences } = await killOnce();
      lost = differences.length > 0;
    }
    expect(lost, `of ${killsMax} kills none lost anything`).toBe(true);
  },
  testTimeoutMs,
);

async function killOnce(): Promise<KillFigures> {
  const load = { workload: await workloadNamed('transfer'), clientModulePath, loadMs };
  const setting = { durability: 'async', workload: targetWorkload(load.workload) } as const;
  const figures = await withKillableServer(setting, async (server) => await killUnderLoad(server, load));
  process.stdout.write(`synchronous_commit=off: ${describeKill(figures)}\n`);
  return figures;
}
