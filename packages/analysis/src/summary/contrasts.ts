import type { Cell, Contrast, RunPlan } from '@fair-bench/results';
import { comparedPairs } from './comparisons.ts';

/** What a run is designed to answer. */
export interface RunDesign {
  /** Comparisons of neighbours: each cell with the next one of its block. */
  readonly contrasts: readonly Contrast[];
  /** Cells that are compared with one another, directly or over others; every cell is in one block. */
  readonly blocks: readonly (readonly string[])[];
}

/**
 * The contrasts and blocks of a plan. Pure. The cells of a block are measured consecutively, so that compared cells
 * are close in time; by default a block is one combination of parameters, sessions and depth, with all targets.
 * @param requested contrasts that the run needs beside the plan's comparisons.
 */
export function designOf(
  plan: Pick<RunPlan, 'mode' | 'targets' | 'cells'>,
  requested: readonly Contrast[] = [],
): RunDesign {
  const pairs = comparedPairs(plan).map(({ baseline, contender }) => ({
    baseline: baseline.id,
    contender: contender.id,
  }));
  const blocks = blocksOf(plan.cells, [...requested, ...pairs]);
  const neighbours = blocks.flatMap((block) =>
    block.flatMap((id, index): Contrast[] => {
      const next = block
        .slice(index + 1)
        .flatMap((other) => pairs.find((pair) => isOf(pair, id, other)) ?? [])[0];
      return next === undefined ? [] : [next];
    }),
  );
  const others = requested.filter(
    (one) => !neighbours.some((each) => isOf(each, one.baseline, one.contender)),
  );
  return { contrasts: [...others, ...neighbours], blocks };
}

function isOf({ baseline, contender }: Contrast, a: string, b: string): boolean {
  return (baseline === a && contender === b) || (baseline === b && contender === a);
}

/** Connected components; in each the cells of one load client lie together. */
function blocksOf(cells: readonly Cell[], pairs: readonly Contrast[]): readonly (readonly string[])[] {
  const block = new Map(cells.map(({ id }, index) => [id, index]));
  for (const { baseline, contender } of pairs) {
    const [kept, joined] = [block.get(baseline), block.get(contender)];
    if (kept === undefined || joined === undefined || kept === joined) continue;
    for (const [id, at] of block) if (at === joined) block.set(id, kept);
  }
  const ordered = cells.toSorted((a, b) => clientRank(a) - clientRank(b));
  return [...Map.groupBy(ordered, ({ id }) => block.get(id)).values()].map((one) => one.map(({ id }) => id));
}

function clientRank({ client }: Cell): number {
  return client === 'node' ? 0 : 1;
}
