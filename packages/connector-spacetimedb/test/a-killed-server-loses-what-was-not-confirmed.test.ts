import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { describeKill, killUnderLoad, type KillFigures, workloadNamed } from '@fair-bench/conformance';
import { withKillableServer } from './killed-server.ts';
import { transfers } from './transfers.ts';
import { skipWithoutServer } from './skip-without-server.ts';

const testTimeoutMs = 60_000;
const loadMs = 700;
const killsMax = 15;
const clientModulePath = fileURLToPath(new URL('../src/client.ts', import.meta.url));

test(
  'unconfirmed: some of what was acknowledged is lost, so the same test can see it',
  async ({ skip }) => {
    await skipWithoutServer(skip);
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
  const figures = await withKillableServer(
    { confirmedReads: false, workload: transfers },
    async (server) => await killUnderLoad(server, load),
  );
  process.stdout.write(`unconfirmed: ${describeKill(figures)}\n`);
  return figures;
}
