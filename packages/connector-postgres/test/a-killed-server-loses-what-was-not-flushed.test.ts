import { expect, test } from 'vitest';
import { describeKill, killUnderLoad, type KillFigures } from '@fair-bench/conformance';
import { withKillableServer } from './support/killable-server.ts';

const testTimeoutMs = 120_000;
const loadMs = 700;
const killsMax = 15;
const onLinux = process.platform === 'linux';
const notLinux = 'finds the processes in /proc, which only Linux has';

test(
  'synchronous_commit=off: some of what was acknowledged is lost, so the same test can see it',
  async ({ skip }) => {
    if (!onLinux) skip(notLinux);
    let lost = 0;
    for (let kill = 0; kill < killsMax && lost === 0; kill += 1) {
      const figures = await killOnce();
      expect(figures.invented).toBe(0);
      expect(figures.lost).toBeLessThanOrEqual(figures.acknowledged);
      lost += figures.lost;
    }
    expect(lost).toBeGreaterThan(0);
  },
  testTimeoutMs,
);

async function killOnce(): Promise<KillFigures> {
  const figures = await withKillableServer('async', async (server) => await killUnderLoad(server, loadMs));
  process.stdout.write(`synchronous_commit=off: ${describeKill(figures)}
`);
  return figures;
}
