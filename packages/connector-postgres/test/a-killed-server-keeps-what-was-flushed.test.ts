import { expect, test } from 'vitest';
import { describeKill, killUnderLoad, type KillFigures } from '@fair-bench/conformance';
import type { TargetOptions } from '@fair-bench/contract';
import { withKillableServer } from './support/killable-server.ts';

const testTimeoutMs = 120_000;
const loadMs = 700;
const killsMax = 15;
const onLinux = process.platform === 'linux';
const notLinux = 'finds the processes in /proc, which only Linux has';

test(
  'synchronous_commit=on: of what was acknowledged before a SIGKILL nothing is lost, and nothing is invented',
  async ({ skip }) => {
    if (!onLinux) skip(notLinux);
    for (let kill = 0; kill < 2; kill += 1) {
      const figures = await killOnce('durable');
      expect(figures).toMatchObject({ lost: 0, invented: 0 });
      expect(figures.acknowledged).toBeGreaterThan(0);
      expect(figures.inDoubt, 'it was killed under load').toBeGreaterThan(0);
    }
  },
  testTimeoutMs,
);

test(
  'synchronous_commit=off: some of what was acknowledged is lost, so the same test can see it',
  async ({ skip }) => {
    if (!onLinux) skip(notLinux);
    let lost = 0;
    for (let kill = 0; kill < killsMax && lost === 0; kill += 1) {
      const figures = await killOnce('async');
      expect(figures.invented).toBe(0);
      expect(figures.lost).toBeLessThanOrEqual(figures.acknowledged);
      lost += figures.lost;
    }
    expect(lost).toBeGreaterThan(0);
  },
  testTimeoutMs,
);

async function killOnce(durability: TargetOptions['durability']): Promise<KillFigures> {
  const figures = await withKillableServer(durability, async (server) => await killUnderLoad(server, loadMs));
  const setting = durability === 'durable' ? 'on' : 'off';
  process.stdout.write(`synchronous_commit=${setting}: ${describeKill(figures)}\n`);
  return figures;
}
