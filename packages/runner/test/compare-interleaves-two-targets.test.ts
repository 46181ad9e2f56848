import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readSummary, startCommand } from './support/command.ts';

const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-interleave-'));
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

const short =
  '--duration 300ms --warmup 0ms --depth 1 --sessions 4 --trials 3 --param accounts=1000 --param alpha=0';

test('two targets are measured in the same rounds, and a second that is slower is a regression', async () => {
  const out = join(scratch, 'run');
  const ends = ['null-http', 'null-http[processes=1]'];
  const slow = ['--set', 'null-http@processes-1.delayMs=20', '--fail-on', 'regression'];
  const run = startCommand(['compare', '--interleave', ...ends, ...slow, ...short.split(' '), '--out', out]);
  expect(await run.ended, run.output()).toBe(4);
  const { comparisons, cells, run: about } = await readSummary(out);
  expect(comparisons).toHaveLength(1);
  expect(comparisons[0]).toMatchObject({
    baseline: 'null-http',
    contender: 'null-http@processes-1',
    significant: true,
  });
  expect(cells.map((cell) => cell.status === 'ok' && cell.tps.trials.length)).toEqual([3, 3]);
  expect(about.command).toContain('npm run compare -- --interleave null-http');
}, 60_000);

test('options of a run are refused without --interleave', async () => {
  const run = startCommand(['compare', 'a', 'b', '--trials', '3']);
  expect(await run.ended).toBe(2);
  expect(run.output()).toContain('--trials: accepts nothing without --interleave');
});
