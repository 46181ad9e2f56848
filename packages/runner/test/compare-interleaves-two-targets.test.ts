import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPlan } from '@fair-bench/results';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { embeddedBinaries } from '../../connector-postgres/src/binaries.ts';
import { readSummary, startCommand } from './support/command.ts';
import { type EndedRun, measured } from './support/measured.ts';

const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-interleave-'));
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

const short =
  '--measure-again 2 --duration 500ms --warmup 100ms --deployments 1 --depth 1 --sessions 4 --trials 3 --param accounts=1000 --param alpha=0';

async function compared(words: readonly string[]): Promise<EndedRun> {
  return await measured(scratch, (out) =>
    startCommand(['compare', '--interleave', ...words, ...short.split(' '), '--out', out]),
  );
}

test('two targets are measured in the same rounds, and a second that is slower is a regression', async () => {
  const ends = ['null-http', 'null-http[processes=1]'];
  const delays = ['--set', 'null-http.delayMs=5', '--set', 'null-http@processes-1.delayMs=20'];
  const { out, code, output } = await compared([...ends, ...delays, '--fail-on', 'regression']);
  expect(code, output).toBe(4);
  const { comparisons, cells, run: about } = await readSummary(out);
  expect(comparisons).toHaveLength(1);
  expect(comparisons[0]).toMatchObject({
    baseline: 'null-http',
    contender: 'null-http@processes-1',
    significant: true,
  });
  expect(cells.map((cell) => cell.status === 'ok' && cell.tps.trials.length)).toEqual([3, 3]);
  expect(about.command).toContain('npm run compare -- --interleave null-http');
}, 150_000);

test('options of a run are refused without --interleave', async () => {
  const run = startCommand(['compare', 'a', 'b', '--trials', '3']);
  expect(await run.ended).toBe(2);
  expect(run.output()).toContain('--trials: accepts nothing without --interleave');
});

test('two builds of a server are measured in the same rounds, each by its path', async () => {
  const build = join(scratch, 'build');
  await cp(embeddedBinaries().nativeDirectory, build, { recursive: true, verbatimSymlinks: true });
  const program = join(build, 'bin', 'postgres');
  const { out, code, output } = await compared(['postgres-driver', `postgres-driver[program=${program}]`]);
  expect(code, output).toBe(0);
  const { comparisons, cells } = await readSummary(out);
  expect(comparisons).toHaveLength(1);
  expect(cells.map(({ status }) => status)).toEqual(['ok', 'ok']);
  const plan = await readPlan(out);
  expect(plan.targets.map((target) => target.program)).toEqual([null, program]);
  const targets = z
    .array(z.object({ facts: z.object({ provider: z.string() }) }))
    .parse(JSON.parse(await readFile(join(out, 'targets.json'), 'utf8')));
  expect(targets.map(({ facts }) => facts.provider)).toEqual(['embedded', 'binary']);
}, 150_000);
