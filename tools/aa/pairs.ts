import Table from 'cli-table3';
import { logRatioOf, momentsOf, sum, unpairedRatio } from '@fair-bench/results';
import { ratiosOf } from './analyse.ts';
import type { AaRun } from './measure.ts';

/** What separate runs of one command say of a contrast. */
export interface RunToRun {
  readonly baseline: string;
  readonly contender: string;
  /** Geometric mean over the runs. */
  readonly ratio: number;
  /** Deviation of the log ratio from round to round of one run. */
  readonly within: number;
  /** Deviation of the log ratio from run to run, beside what their rounds explain. */
  readonly between: number;
  /** Pairs of runs, and those in which the 95 % interval of their difference contains none. */
  readonly pairs: number;
  readonly compatible: number;
}

/**
 * Compares every two runs, contrast by contrast, as two samples of rounds (Welch). The variance component between
 * runs is that of a one-way analysis of variance with unequal groups (Searle, Casella & McCulloch, "Variance
 * Components", 1992); a negative one becomes 0. Contrasts of fewer than two runs with two rounds are left out.
 */
export function compareRuns(runs: readonly Pick<AaRun, 'plan' | 'trials'>[]): readonly RunToRun[] {
  const all = runs.flatMap((run) => ratiosOf(run)).filter(({ rounds }) => rounds.length > 1);
  const byContrast = Map.groupBy(all, ({ baseline, contender }) => `${baseline} ${contender}`);
  return [...byContrast.values()].flatMap((same): RunToRun[] => {
    const [first] = same;
    if (first === undefined || same.length < 2) return [];
    const { baseline, contender } = first;
    const logs = same.map(({ rounds }) => rounds.map(logRatioOf));
    const ratio = Math.exp(momentsOf(logs.map((one) => momentsOf(one).mean)).mean);
    return [{ baseline, contender, ratio, ...deviationsOf(logs), ...pairsOf(logs) }];
  });
}

function deviationsOf(groups: readonly (readonly number[])[]): Pick<RunToRun, 'within' | 'between'> {
  const all = momentsOf(groups.flat());
  const each = groups.map(momentsOf);
  const within =
    sum(each.map(({ variance, degrees }) => variance * degrees)) / sum(each.map(({ degrees }) => degrees));
  const between = sum(each.map(({ count, mean }) => count * (mean - all.mean) ** 2)) / (groups.length - 1);
  const count = (all.count - sum(each.map((one) => one.count ** 2)) / all.count) / (groups.length - 1);
  return { within: Math.sqrt(within), between: Math.sqrt(Math.max(0, (between - within) / count)) };
}

function pairsOf(groups: readonly (readonly number[])[]): Pick<RunToRun, 'pairs' | 'compatible'> {
  const ratios = groups.map((logs) => logs.map(Math.exp));
  const pairs = ratios.flatMap((one, index) => ratios.slice(index + 1).map((other) => [one, other] as const));
  const compatible = pairs.filter(([one, other]) => !unpairedRatio(one, other).significant);
  return { pairs: pairs.length, compatible: compatible.length };
}

/** The same as a table. */
export function renderRuns(found: readonly RunToRun[]): string {
  const table = new Table({
    head: ['contrast', 'ratio', 'from round to round', 'from run to run', 'compatible pairs of runs'],
    style: { head: [], border: [] },
  });
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  for (const { baseline, contender, ratio, within, between, pairs, compatible } of found) {
    const contrast = `${contender} ÷ ${baseline}`;
    table.push([
      contrast,
      ratio.toPrecision(3),
      percent(within),
      percent(between),
      `${compatible} of ${pairs}`,
    ]);
  }
  return [
    '\nSeparate runs of one command, on the logarithm of the ratio. With --deployments 1 a run is one start of its servers, and what differs from run to run is what differs from start to start, with the drift of the machine.',
    table.toString(),
  ].join('\n');
}
