import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfBenchSummarySchema } from '@fair-bench/results';
import { afterAll, expect, test } from 'vitest';
import { startCommand } from '../../packages/runner/test/support/command.ts';

const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-aa-'));
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

test(
  'bench:aa measures a calibration target against itself and leaves its figures',
  { timeout: 90_000 },
  async () => {
    const out = join(await mkdtemp(join(scratch, 'aa-')), 'run');
    const command = startCommand(
      `bench:aa --target null-http --runs 1 --quick --trials 2 --duration 500ms --warmup 500ms --deployments 1 --out ${out}`.split(
        ' ',
      ),
    );
    expect([0, 1]).toContain(await command.ended);
    const summary = selfBenchSummarySchema.parse(
      JSON.parse(await readFile(join(out, 'summary.json'), 'utf8')),
    );
    expect(summary.figures.map(({ unit }) => unit)).toEqual(['of 3', '%', '%']);
    expect(summary.figures.every(({ value }) => value !== null)).toBe(true);
    expect(command.output()).toContain('its window');
    expect(command.output()).toContain('not stored: a calibration target is not a database');
  },
);
