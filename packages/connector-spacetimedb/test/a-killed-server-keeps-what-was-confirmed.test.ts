import { expect, test } from 'vitest';
import { describeKill, killUnderLoad, type KillFigures } from '@fair-bench/conformance';
import { withKillableServer } from './killed-server.ts';
import { skipWithoutServer } from './skip-without-server.ts';

const testTimeoutMs = 60_000;
const loadMs = 700;
const killsMax = 15;

test(
  'confirmed: of what was acknowledged before a SIGKILL nothing is lost, and nothing is invented',
  async ({ skip }) => {
    await skipWithoutServer(skip);
    for (let kill = 0; kill < 2; kill += 1) {
      const figures = await killOnce(true);
      expect(figures).toMatchObject({ lost: 0, invented: 0 });
      expect(figures.acknowledged).toBeGreaterThan(0);
      expect(figures.inDoubt, 'it was killed under load').toBeGreaterThan(0);
    }
  },
  testTimeoutMs,
);

test(
  'unconfirmed: some of what was acknowledged is lost, so the same test can see it',
  async ({ skip }) => {
    await skipWithoutServer(skip);
    let lost = 0;
    for (let kill = 0; kill < killsMax && lost === 0; kill += 1) {
      const figures = await killOnce(false);
      expect(figures.invented).toBe(0);
      lost += figures.lost;
    }
    expect(lost).toBeGreaterThan(0);
  },
  testTimeoutMs,
);

async function killOnce(confirmedReads: boolean): Promise<KillFigures> {
  const figures = await withKillableServer(
    confirmedReads,
    async (server) => await killUnderLoad(server, loadMs),
  );
  process.stdout.write(`${confirmedReads ? 'confirmed' : 'unconfirmed'}: ${describeKill(figures)}\n`);
  return figures;
}
