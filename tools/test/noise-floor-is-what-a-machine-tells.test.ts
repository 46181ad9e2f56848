import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readNoiseFloor, minDetectableRatio, storeNoiseFloor } from '@fair-bench/results';
import { afterAll, describe, expect, test } from 'vitest';
import { analyseAa } from '../aa/analyse.ts';
import type { AaRun } from '../aa/measure.ts';
import { compareRuns, renderRuns } from '../aa/pairs.ts';
import { startLine } from '../aa/render-variance.ts';
import {
  blocksOf,
  componentsOf,
  covariatesOf,
  deviationAt,
  firstInBlock,
  firstOnStart,
} from '../aa/variance.ts';
import { designOf, noiseFloorFor, summarize } from '@fair-bench/analysis';
import { renderMarkdown, renderTerminal } from '@fair-bench/report';
import { renderHtml } from '@fair-bench/report/html';
import { startCommand } from '../../packages/runner/test/support/command.ts';
import { noiseFloor } from '@fair-bench/report/test-support';
import { seededNormal } from '@fair-bench/results/test-support';
import { removeFolder, scratchFolder } from '../../packages/runner/test/support/run-folder.ts';
import { environment, passedTrial, planOf, present, runOf } from '@fair-bench/analysis/test-support';

const scratch = await scratchFolder();
afterAll(async () => await removeFolder(scratch));

/** A run of one target under four names; each trial deviates by its round, its copy and its own noise. */
function runAgainst(
  normal: () => number,
  noise: { readonly round: number; readonly copy: number; readonly trial: number; readonly half: number },
): Pick<AaRun, 'plan' | 'summary' | 'trials'> {
  const bare = planOf({ targets: [1, 2, 3, 4].map((copy) => `alpha-copy-${copy}`), rounds: 8 });
  const { contrasts, blocks } = designOf(bare);
  const plan = { ...bare, contrasts: [...contrasts], blocks: blocks.map((block) => [...block]) };
  const copies = new Map(plan.cells.map(({ id }) => [id, noise.copy * normal()]));
  const trials = plan.rounds.flatMap((_, round) => {
    const weather = noise.round * normal();
    return plan.cells.map((cell) => {
      const halves = [0, 1].map(() => Math.exp(noise.half * normal()));
      const mean = ((halves[0] ?? 1) + (halves[1] ?? 1)) / 2;
      const log = weather + (copies.get(cell.id) ?? 0) + noise.trial * normal();
      const held = passedTrial({ cell, round, applied: Math.round(2e6 * mean * Math.exp(log)) });
      const appliedSlots = halves.map((half) => Math.round(1e6 * half));
      return { ...held, result: { ...held.result, appliedSlots } };
    });
  });
  const summary = summarize(runOf(plan, () => present(trials[0]), { trials }));
  return { plan, summary, trials };
}

describe('a target against itself', () => {
  test('hardly ever differs in a contrast, and shows the given noise', () => {
    const normal = seededNormal(1);
    const runs = Array.from({ length: 24 }, () =>
      runAgainst(normal, { round: 0.3, copy: 0, trial: 0.04, half: 0 }),
    );
    const found = analyseAa(runs);
    expect(found).toMatchObject({ contrasts: 72, comparisons: 144, rounds: 8 });
    // One table of six in twenty has an alarm, corrected.
    expect(found.falseAlarmsOfAll).toBeLessThan(6);
    // A round's log ratio is the difference of two: √2 × 4 %.
    expect(found.deviation).toBeCloseTo(0.0566, 2);
    // t for seven degrees of freedom is 2.364624: × 5.66 % ÷ √8 is 4.73 %.
    expect(Math.log(found.ratioDetectable)).toBeCloseTo(0.0473, 2);
    expect(Math.log(found.halfWidth)).toBeGreaterThan(0.03);
    expect(Math.log(found.halfWidth)).toBeLessThan(0.055);
  });

  test('has its variance components recovered', () => {
    const normal = seededNormal(2);
    const noise = { round: 0.2, copy: 0.05, trial: 0.08, half: 0.06 };
    const runs = Array.from({ length: 24 }, () => runAgainst(normal, noise));
    const components = componentsOf(runs.flatMap(({ plan, trials }) => blocksOf(plan, trials)));
    expect(Math.sqrt(components.round)).toBeCloseTo(0.2, 1);
    expect(Math.sqrt(components.copy)).toBeCloseTo(0.05, 1);
    expect(Math.sqrt(components.trial)).toBeCloseTo(0.08, 1.5);
    // Two halves of the window: 6 % ÷ √2.
    expect(Math.sqrt(components.window)).toBeCloseTo(0.042, 2);
    expect(deviationAt(components, 700, 2800)).toBeLessThan(deviationAt(components, 700, 700));
  });

  test('shows which covariate explains its deviation, and whether the first trial of a block is faster', () => {
    const normal = seededNormal(3);
    const { plan, trials } = runAgainst(normal, { round: 0.2, copy: 0, trial: 0.1, half: 0 });
    const slower = trials.map((trial) => {
      const isFirst = trial.cellId === plan.rounds[trial.round]?.[0];
      const flushes = 1000 + Math.round(1e4 * normal());
      const countersAfter = { ...trial.countersAfter, flushes };
      const tps = trial.tps * Math.exp(flushes * 1e-4) * (isFirst ? 0.5 : 1);
      return { ...trial, tps, countersBefore: { ...trial.countersBefore, flushes: 0 }, countersAfter };
    });
    const blocks = blocksOf(plan, slower);
    const [first] = firstInBlock(plan, blocks);
    expect(first).toBeLessThan(0);
    const shares = new Map(covariatesOf(blocks).map(({ name, share }) => [name, share]));
    expect(shares.get('steal')).toMatch('not observed');
    expect(shares.get("processors' frequency")).toBe('not observed: the kernel has no cpufreq here');
    expect(shares.get('flushes per operation')).toBeGreaterThan(0.8);
    expect(shares.get('drift within the window')).toBe('never changes');
  });

  test('shows whether the first trial on a new server is slower', () => {
    const normal = seededNormal(4);
    const plan = planOf({ targets: ['alpha-http'], depths: [1, 4, 8], rounds: 200 });
    const trials = plan.rounds.flatMap((_, round) =>
      plan.cells.map((_cell, place) => {
        // Another cell comes first in each round.
        const cell = present(plan.cells[(place + round) % plan.cells.length]);
        const log = cell.depth + (place === 0 ? -0.2 : 0) + 0.05 * normal();
        const held = passedTrial({ cell, round, applied: Math.round(1e5 * Math.exp(log)) });
        const startedAt = new Date(Date.UTC(2026, 0, 1) + round * 10_000 + place * 1000).toISOString();
        const result = { ...held.result, timing: { ...held.result.timing, startedAt } };
        return { ...held, result, deployment: round + 1 };
      }),
    );
    const firsts = firstOnStart(plan, trials.toReversed());
    expect(firsts).toHaveLength(200);
    expect(firsts.reduce((a, b) => a + b) / firsts.length).toBeCloseTo(-0.2, 1.7);
    expect(startLine([{ plan, trials }])).toMatch(
      /^Start: the first trial on a new server is -(19|20|21)\.\d % \[/,
    );
    // One trial of a target on each start says nothing.
    const once = trials.filter(({ cellId }) => cellId === plan.cells[0]?.id);
    expect(startLine([{ plan, trials: once }])).toBe('');
  });

  test('needs contrasts of two rounds', () => {
    expect(() => analyseAa([])).toThrow(RangeError);
  });
});

describe('separate runs', () => {
  /** Eight runs of six rounds of beta against alpha, whose true ratio deviates from run to run. */
  function simulated(seed: number, noise: { readonly run: number; readonly trial: number }) {
    const normal = seededNormal(seed);
    const bare = planOf({ targets: ['alpha-http', 'beta-http'], rounds: 6 });
    const plan = { ...bare, contrasts: [...designOf(bare).contrasts] };
    return Array.from({ length: 8 }, () => {
      const shift = noise.run * normal();
      const trials = plan.rounds.flatMap((_, round) =>
        plan.cells.map((cell) => {
          const own = cell.target === 'beta-http' ? Math.log(3) + shift : 0;
          const log = own + (noise.trial / Math.SQRT2) * normal();
          return passedTrial({ cell, round, applied: Math.round(1e6 * Math.exp(log)) });
        }),
      );
      return { plan, trials };
    });
  }

  test('that differ by their rounds alone agree', () => {
    const found = Array.from({ length: 20 }, (_, seed) =>
      compareRuns(simulated(seed, { run: 0, trial: 0.1 })),
    );
    const all = found.flat();
    expect(all).toHaveLength(20);
    expect(all.every(({ pairs, baseline }) => pairs === 28 && baseline.startsWith('alpha-http'))).toBe(true);
    // Of 560 pairs, one in twenty differs by chance.
    const compatible = all.reduce((count, one) => count + one.compatible, 0);
    expect(compatible).toBeGreaterThan(500);
    expect(compatible).toBeLessThan(560);
    expect(all.reduce((most, { between }) => Math.max(most, between), 0)).toBeLessThan(0.09);
  });

  test('that differ by more have it as a component, and do not agree', () => {
    const noise = { run: 0.3, trial: 0.1 };
    const all = Array.from({ length: 20 }, (_, seed) => compareRuns(simulated(seed, noise))).flat();
    const mean = (part: 'within' | 'between' | 'compatible'): number =>
      all.reduce((total, one) => total + one[part], 0) / all.length;
    expect(mean('within')).toBeCloseTo(0.1, 1.5);
    expect(mean('between')).toBeGreaterThan(0.25);
    expect(mean('between')).toBeLessThan(0.35);
    expect(mean('compatible')).toBeLessThan(14);
    expect(renderRuns(all)).toMatch(/beta-http\S* ÷ alpha-http\S* .*of 28/);
  });

  test('are at least two', () => {
    expect(compareRuns(simulated(1, { run: 0, trial: 0.1 }).slice(0, 1))).toEqual([]);
  });
});

describe('the noise floor', () => {
  test('is only found on the machine that it was measured on', async () => {
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

  test('makes a small difference noise in every output, but not a large one', () => {
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

test('bench:aa refuses an unknown target and lists the known ones', async () => {
  const command = startCommand(['bench:aa', '--target', 'nobody']);
  expect(await command.ended).toBe(2);
  expect(command.output()).toMatch(/--target: got "nobody"; accepts one or more of .*null-http/);
});
