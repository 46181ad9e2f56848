import { InputError } from '@fair-bench/contract';
import { readPlan, readRunIndex, readSummary } from '@fair-bench/results';
import { renderBesideFair, renderComparison, terminalOptions } from '@fair-bench/report';
import {
  compareCells,
  noiseFloorOf,
  planDifferences,
  settingDifferences,
  slowerThanFair,
} from '@fair-bench/analysis';

interface RunComparison {
  /** For a terminal. */
  readonly text: string;
  /** Cells that are significantly slower in the second run, or lost their number. */
  readonly regressions: number;
}

/**
 * Compares two runs of the same plan, or a fair with an optimized one (F42), from their folders; `results` has further runs, which show the deviation
 * between runs. Rejects with an InputError when a folder has no complete run, or when the plans differ in something
 * that changes the numbers; it names every difference.
 */
export async function compareRuns(
  before: string,
  after: string,
  results: string,
  width = terminalOptions(process.stdout, true).width,
): Promise<RunComparison> {
  const first = { plan: await readPlan(before), summary: await readSummary(before) };
  const second = { plan: await readPlan(after), summary: await readSummary(after) };
  const isSameWork = first.plan.workloadSha256 === second.plan.workloadSha256;
  if (isSameWork && first.plan.mode === 'fair' && second.plan.mode === 'optimized') {
    const found = slowerThanFair(first.summary, second.summary, (await readRunIndex(results)).runs);
    const regressions = found.filter(({ isSlower }) => isSlower).length;
    return { text: renderBesideFair({ before, after, found }, width), regressions };
  }
  const differences = planDifferences(first.plan, second.plan);
  if (differences.length > 0) {
    throw new InputError(
      `compare: got ${before} and ${after}; accepts two runs of the same plan; these differ in ${differences.join('; ')}`,
    );
  }
  const changes = compareCells(first.summary, second.summary, (await readRunIndex(results)).runs);
  const regressions = changes.filter(
    (change) => change.kind === 'lost' || (change.kind === 'compared' && change.result === 'slower'),
  ).length;
  const settings = settingDifferences(first, second);
  const noiseFloor = noiseFloorOf(first.summary, second.summary);
  return {
    text: renderComparison({ before, after, settings, changes, regressions, noiseFloor }, width),
    regressions,
  };
}
