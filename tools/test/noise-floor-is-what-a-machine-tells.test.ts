import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type RoundPair,
  readNoiseFloor,
  selfBenchSummarySchema,
  minDetectableRatio,
  storeNoiseFloor,
} from '@fair-bench/results';
import { afterAll, describe, expect, test } from 'vitest';
import { analyseAa } from '../aa/analyse.ts';
import { noiseFloorFor, summarize } from '@fair-bench/analysis';
import { renderMarkdown, renderTerminal } from '@fair-bench/report';
import { renderHtml } from '@fair-bench/report/html';
import { startCommand } from '../../packages/runner/test/support/command.ts';
import { noiseFloor } from '../../packages/report/test/support/large-run.ts';
import { seededNormal } from '../../packages/results/test/support/random.ts';
import { removeFolder, scratchFolder } from '../../packages/runner/test/support/run-folder.ts';
import {
  environment,
  passedTrial,
  planOf,
  runOf,
} from '../../packages/analysis/test/support/trial-records.ts';

const scratch = await scratchFolder();
afterAll(async () => await removeFolder(scratch));

/** So many repetitions of three rounds of a target against itself, each trial off by its own noise. */
function against(normal: () => number, repetitions: number, noise: number): RoundPair[][] {
  const rate = (machine: number): number => 1000 * machine * Math.exp(noise * normal());
  return Array.from({ length: repetitions }, () =>
    [0, 1, 2].map(() => {
      const machine = Math.exp(0.3 * normal());
      return { baseline: rate(machine), contender: rate(machine) };
    }),
  );
}

describe('a target against itself', () => {
  test('is called different in about one repetition of twenty, over many', () => {
    const { falseAlarms, repetitions } = analyseAa(against(seededNormal(1), 4000, 0.04));
    expect(falseAlarms / repetitions).toBeGreaterThan(0.04);
    expect(falseAlarms / repetitions).toBeLessThan(0.06);
  });

  test('gives the noise that was put in, whatever a round did to both', () => {
    const { deviation, ratioDetectable, ratioSeen } = analyseAa(against(seededNormal(2), 4000, 0.04));
    // A round's log ratio is the difference of two: √2 × 4 %.
    expect(deviation).toBeCloseTo(0.0566, 3);
    // t for two degrees of freedom is 4.302653: × 5.66 % ÷ √3 is 14.05 %.
    expect(Math.log(ratioDetectable)).toBeCloseTo(0.1405, 2);
    // 1.96 × 5.66 % ÷ √3 is 6.4 %.
    expect(Math.log(ratioSeen)).toBeCloseTo(0.064, 2);
  });

  test('is within 40 repetitions called different at most three times in most of them', () => {
    const normal = seededNormal(3);
    const good = Array.from({ length: 200 }, () => analyseAa(against(normal, 40, 0.04)).falseAlarms <= 3);
    // Binomial: three or fewer of 40 at 5 % is 86 %.
    expect(good.filter(Boolean).length / 200).toBeGreaterThan(0.8);
  });

  test('needs two rounds and as many in each repetition', () => {
    const pair = { baseline: 1, contender: 1 };
    expect(() => analyseAa([])).toThrow(RangeError);
    expect(() => analyseAa([[pair]])).toThrow(RangeError);
    expect(() => analyseAa([[pair, pair], [pair]])).toThrow(RangeError);
  });
});

describe('the noise floor', () => {
  test('is found again on the machine that it was measured on, and on no other', async () => {
    const here = { ...environment, cpu: { model: noiseFloor.machine.cpuModel, cores: 2 } };
    expect(await readNoiseFloor(scratch, here)).toBeNull();
    await storeNoiseFloor(scratch, noiseFloor);
    expect(await readNoiseFloor(scratch, here)).toEqual(noiseFloor);
    expect(await readNoiseFloor(scratch, { ...here, os: { ...here.os, kernel: '6.2' } })).toBeNull();
    expect(await readNoiseFloor(scratch, environment)).toBeNull();
  });

  test('in an unreadable file is refused with the remedy', async () => {
    const root = join(scratch, 'broken');
    await mkdir(join(root, 'results'), { recursive: true });
    await writeFile(join(root, 'results', 'noise-floor.json'), '{"ratio":0.5}');
    await expect(readNoiseFloor(root, environment)).rejects.toThrow(/noise-floor\.json: .*bench:aa/);
  });

  test('is lower for more rounds', () => {
    const nine = noiseFloorFor(noiseFloor, 9);
    expect(nine.rounds).toBe(9);
    const deviation = (Math.log(noiseFloor.ratio) * Math.sqrt(3)) / 4.302653;
    expect(nine.ratio).toBeCloseTo(minDetectableRatio(deviation, 9), 6);
    expect(nine.ratio).toBeLessThan(noiseFloor.ratio);
    expect(noiseFloorFor(noiseFloor, 1)).toEqual(noiseFloor);
  });

  test('makes a small difference noise in every output, and leaves a large one', () => {
    const plan = planOf({ targets: ['alpha-http', 'beta-http', 'gamma-http'] });
    const rates: ReadonlyMap<string, number> = new Map([
      ['alpha-http', 10_000],
      ['beta-http', 10_200],
      ['gamma-http', 20_000],
    ]);
    const input = runOf(plan, (cell, round) =>
      passedTrial({ cell, round, applied: (rates.get(cell.target) ?? 0) + round }),
    );
    const summary = summarize({ ...input, noiseFloor });
    const [small, large] = summary.comparisons;
    expect(small).toMatchObject({ contender: 'beta-http', significant: true, belowNoiseFloor: true });
    expect(large).toMatchObject({ contender: 'gamma-http', significant: true, belowNoiseFloor: false });
    const outputs = [
      renderTerminal(summary, { color: false, verbose: true, width: 200 }),
      renderMarkdown(summary),
      renderHtml(summary, input.trials),
    ];
    for (const output of outputs) {
      expect(output).toContain('below the noise floor');
      expect(output).toContain('Noise floor of this machine: 4.1 %');
      expect(output.match(/contender faster/g)).toHaveLength(2);
    }
    expect(summarize(input).comparisons[0]).not.toHaveProperty('belowNoiseFloor');
  });
});

test(
  'bench:aa measures a calibration target against itself and leaves its figures',
  { timeout: 90_000 },
  async () => {
    const out = join(await mkdtemp(join(scratch, 'aa-')), 'run');
    const command = startCommand(
      `bench:aa --target null-http --repetitions 1 --duration 200ms --out ${out}`.split(' '),
    );
    expect([0, 1]).toContain(await command.ended);
    const summary = selfBenchSummarySchema.parse(
      JSON.parse(await readFile(join(out, 'summary.json'), 'utf8')),
    );
    expect(summary.figures.map(({ unit }) => unit)).toEqual(['of 1', '%', '%']);
    expect(summary.figures.every(({ value }) => value !== null)).toBe(true);
    expect(command.output()).toContain('not stored: a calibration target is not a database');
  },
);

test('bench:aa refuses a target that is not there, with those that are', async () => {
  const command = startCommand(['bench:aa', '--target', 'nobody']);
  expect(await command.ended).toBe(2);
  expect(command.output()).toMatch(/--target: got "nobody"; accepts one of .*null-http/);
});
