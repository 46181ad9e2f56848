import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PostgresService } from '@fair-bench/connector-postgres';
import { readArtifacts, seedOfRound } from '@fair-bench/results';
import { chosen } from '@fair-bench/contract/test-support';
import { readSummary, smallRun, startCommand } from './support/command.ts';
import { type EndedRun, measured } from './support/measured.ts';
import { startUsersServer } from './support/users-server.ts';

const testTimeoutMs = 200_000;
let scratch = '';
let close: () => Promise<void> = async () => {};
let lax: PostgresService;

/** A real user's server that acknowledges commits before they are durable. */
beforeAll(async () => {
  ({ scratch, close, server: lax } = await startUsersServer({ durability: 'async' }));
}, testTimeoutMs);
afterAll(async () => await close());

async function run(...words: readonly string[]): Promise<EndedRun> {
  return await measured(scratch, (out) => startCommand([...smallRun, ...words, '--out', out]));
}

test(
  'every target of a default-like run is measured, audited and found fair',
  async () => {
    // Those that are available on every machine.
    const systems = chosen(
      ['postgres-driver', 'postgres-drizzle', 'postgres-storedproc', 'sqlite-drizzle'],
      (_, place) => place >= 2,
    );
    const { out, code, output } = await run('--systems', systems.join(), '--trials', '2');
    expect(code, output).toBe(0);
    const summary = await readSummary(out);
    expect(summary.verdict).toMatchObject({ fair: true, differences: [] });
    expect(summary.cells.map(({ target, status }) => `${target} ${status}`).toSorted()).toEqual(
      systems.map((system) => `${system} ok`),
    );
    for (const cell of summary.cells) {
      if (cell.status !== 'ok') throw new Error(`${cell.target}: ${cell.status}`);
      expect(cell.audit).toEqual({ status: 'passed', rowsChecked: 1000, mismatches: 0, inDoubt: 0 });
      expect(cell.tps.trials).toHaveLength(2);
      expect(cell.counts.applied).toBeGreaterThan(0);
    }
    expect(summary.comparisons).toHaveLength((systems.length * (systems.length - 1)) / 2);
    // One stream for all targets in a round, another in the next: the audit drew both again and passed.
    const { trials } = await readArtifacts(out);
    const seedsOf = (round: number) => {
      const passed = trials.filter((trial) => trial.status === 'ok' && trial.round === round);
      return new Set(passed.map((trial) => (trial.status === 'ok' ? trial.streamSeed : undefined)));
    };
    expect(seedsOf(0)).toEqual(new Set([summary.run.seed]));
    expect(seedsOf(1)).toEqual(new Set([seedOfRound(summary.run.seed, 1)]));
    expect(seedOfRound(summary.run.seed, 1)).not.toBe(summary.run.seed);
  },
  testTimeoutMs,
);

test(
  'a server that acknowledges before it is durable is NOT FAIR in every output, and --strict exits 3',
  async () => {
    const systems = ['--systems', 'postgres-driver,sqlite-drizzle', '--url', `postgres=${lax.url}`];
    const { out, code, output } = await run(...systems, '--trials', '1', '--strict');
    expect(code, output).toBe(3);
    const summary = await readSummary(out);
    expect(summary.verdict.fair).toBe(false);
    const profile = summary.verdict.differences.find(({ subject }) => subject === 'synchronous_commit');
    expect(profile?.values).toMatchObject({ 'postgres-driver': 'off' });
    expect(summary.verdict.differences.map(({ rule }) => rule)).toContain('F1');
    expect(output).toContain('NOT FAIR');
    expect(await readFile(join(out, 'report.md'), 'utf8')).toContain('NOT FAIR');
    const written = await readFile(join(out, 'summary.json'), 'utf8');
    expect(written).not.toContain(new URL(lax.url).password);
    expect(output).not.toContain(new URL(lax.url).password);
  },
  testTimeoutMs,
);
