import { expect, test } from 'vitest';
import { describeKill, killUnderLoad, type KillFigures } from '@fair-bench/conformance';
import { withKillableServer } from './killed-server.ts';
import { skipWithoutServer } from './skip-without-server.ts';

const testTimeoutMs = 60_000;
const loadMs = 700;
const killsMax = 15;

test(
  'unconfirmed: some of what was acknowledged is lost, so the same test can see it',
  async ({ skip }) => {
    await skipWithoutServer(skip);
    let lost = 0;
    for (let kill = 0; kill < killsMax && lost === 0; kill += 1) {
      const figures = await killOnce();
      expect(figures.invented).toBe(0);
      lost += figures.lost;
    }
    expect(lost).toBeGreaterThan(0);
  },
  testTimeoutMs,
);

async function killOnce(): Promise<KillFigures> {
  const figures = await withKillableServer(false, async (server) => await killUnderLoad(server, loadMs));
  process.stdout.write(`unconfirmed: ${describeKill(figures)}
`);
  return figures;
}
