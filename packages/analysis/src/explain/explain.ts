import {
  type Architecture,
  type ExplainDesign,
  type Explanation,
  type FactorEffect,
  type Interaction,
  isPassed,
  type LogEstimate,
  type PathStep,
  type RunPlan,
  type TrialRecord,
} from '@fair-bench/results';
import { measuredCorners } from './corners.ts';
import { directContrast, multiplierOf } from './direct.ts';
import { groupEffect, significantInteractions } from './effects.ts';
import { type Fit, fitTerms, type Logs, type Measured } from './fit.ts';
import { independent, type Term, termsOf, type Weights } from './model.ts';
import { sharesOf } from './shares.ts';
import { type Combination, pathThrough, type Space, spaceWith } from './space.ts';

/** The experiment as it was measured: its space, its trials, and what the space calls each group. */
interface Experiment {
  readonly design: ExplainDesign;
  readonly space: Space;
  readonly measured: Measured;
  /** A mean of its own for each measured cell. */
  readonly cells: Fit;
  readonly architecture: number | null;
}

/**
 * Explains the gap between the two ends of a design from the trials of its cells: a path of directly measured steps, the step
 * between the systems at each corner, and main effects with two-factor interactions (Jain 1991, ch. 16–19; Box, Hunter &
 * Hunter 2005, ch. 5–6). Pure. A cell without a number (void, unavailable) is left out. Null when an end has no number.
 */
export function explainTrials(
  design: ExplainDesign,
  plan: RunPlan,
  trials: readonly TrialRecord[],
): Explanation | null {
  const possible = new Set(design.possible);
  const space = spaceWith(design.groups, (mask) => possible.has(mask));
  if (space === null) throw new RangeError('explain: the design has no path from end to end');
  const measured = measuredCells(design, space, plan, trials);
  const full = 2 ** design.groups.length - 1;
  if (!measured.has(0) || !measured.has(full)) return null;
  const experiment = {
    design,
    space,
    measured,
    cells: fitTerms(measured, null),
    architecture: architectureIn(design),
  };
  const headline = direct(experiment, [0, full]);
  const { multiplier: ratio, ci95 } = multiplierOf(headline);
  return {
    from: design.from,
    to: design.to,
    ratio,
    ci95,
    rounds: headline.rounds,
    path: pathOf(experiment),
    ...effectsOf(experiment),
    skipped: [...design.skipped, ...withoutNumber(design, space, measured)],
  };
}

/** For each combination whose trials all passed: the logarithm of its throughput, by round. */
function measuredCells(
  { cells }: ExplainDesign,
  { masks, ungrouped }: Space,
  plan: RunPlan,
  trials: readonly TrialRecord[],
): Measured {
  const passed = Map.groupBy(trials.filter(isPassed), ({ cellId }) => cellId);
  const groupedMask = new Map(masks.map((mask) => [ungrouped(mask), mask]));
  return new Map(
    cells.flatMap(({ mask, cellId }): [Combination, Logs][] => {
      const grouped = groupedMask.get(mask);
      const ofCell = passed.get(cellId) ?? [];
      const due = plan.rounds.filter((ids) => ids.includes(cellId)).length;
      const isWhole = due > 0 && ofCell.length === due && ofCell.every(({ tps }) => tps > 0);
      if (grouped === undefined || !isWhole) return [];
      return [[grouped, new Map(ofCell.map(({ round, tps }) => [round, Math.log(tps)]))]];
    }),
  );
}

function architectureIn({ groups, changes }: ExplainDesign): number | null {
  const at = groups.findIndex((group) => group.some((index) => changes[index]?.isArchitecture === true));
  return at === -1 ? null : at;
}

/** A step between two measured combinations: its mean fits those of the other steps, its error is paired by round. */
function direct(
  { measured, cells }: Experiment,
  [before, after]: readonly [Combination, Combination],
): LogEstimate & { readonly rounds: number } {
  const weights: Weights = new Map([
    [before, -1],
    [after, 1],
  ]);
  return { ...directContrast(measured, weights), mean: cells.estimate(weights).mean };
}

function pathOf(experiment: Experiment): PathStep[] {
  const { space, measured, architecture } = experiment;
  const isPlanned = space.path.every((mask) => measured.has(mask));
  const path = isPlanned ? space.path : pathThrough(space.groups.length, new Set(measured.keys()));
  return (path ?? []).slice(1).map((after, index): PathStep => {
    const before = path?.[index] ?? 0;
    const group = Math.log2(after - before);
    const { rounds, ...estimate } = direct(experiment, [before, after]);
    return {
      ...changeOf(experiment.design, group),
      ...multiplierOf(estimate),
      isArchitecture: group === architecture,
      rounds,
    };
  });
}

function effectsOf(
  experiment: Experiment,
): Pick<Explanation, 'architecture' | 'factors' | 'interactions' | 'model'> {
  const { design, space, measured, cells } = experiment;
  const { masks } = space;
  const terms = termsOf(design.groups.length, masks);
  const found = independent(terms, [...measured.keys()]);
  const isWhole = masks.every((mask) => measured.has(mask));
  const model = fitTerms(measured, found);
  const isFound = found.length === terms.length;
  // Cells that were all measured need no model: an average of them is what it is.
  const fit = isWhole ? cells : model;
  const others = masks.filter((mask) => mask !== 0);
  const logOf = (mask: Combination): number =>
    fit.estimate(
      new Map([
        [0, -1],
        [mask, 1],
      ]),
    ).mean;
  const values = new Map([
    [0, 0],
    ...others.map((mask): [Combination, number] => [mask, isFound ? logOf(mask) : 0]),
  ]);
  const shareOf = sharesOf(values, terms);
  return {
    architecture: architectureOf(experiment, shareOf),
    factors: isFound ? factorsOf(experiment, fit, shareOf) : [],
    interactions: isFound ? interactionsOf(experiment, fit, terms, shareOf) : [],
    model: {
      cellsPossible: masks.length,
      cellsMeasured: measured.size,
      terms: found.length,
      termsMissing: terms.length - found.length,
      lackOfFit: lackOf(model),
      merged: design.merged,
    },
  };
}

function lackOf({ lackOfFit }: Fit): Explanation['model']['lackOfFit'] {
  if (lackOfFit === null) return null;
  const [above, below] = lackOfFit.degrees;
  return { ...lackOfFit, degrees: [above, below] };
}

type ShareOf = (term: Term) => number;

function architectureOf(experiment: Experiment, shareOf: ShareOf): Architecture | null {
  const { design, space, measured, architecture } = experiment;
  const found = measuredCorners(measured, architecture);
  if (found === null || architecture === null) return null;
  const corners = found.corners.map(({ before, step: { rounds, ...own } }) => ({
    at: cornerText(experiment, before),
    ...multiplierOf({ ...own, mean: direct(experiment, [before, before + 2 ** architecture]).mean }),
    rounds,
  }));
  const merged = (space.groups[architecture] ?? []).flatMap((index) => {
    const { name, isArchitecture } = design.changes[index] ?? { name: '', isArchitecture: true };
    return isArchitecture ? [] : [name];
  });
  return {
    corners,
    ...multiplierOf(found.mean),
    share: shareOf([architecture]),
    differs: found.differs,
    includes: [...merged, ...design.withArchitecture],
    ofOneSystem: [...design.ofOneSystem],
  };
}

/** What the other changes are set to in a corner, of those that differ from corner to corner. */
function cornerText({ design, measured, architecture }: Experiment, before: Combination): string {
  const bit = 2 ** (architecture ?? 0);
  const places = [...measured.keys()].filter((mask) => (mask & bit) === 0 && measured.has(mask + bit));
  return design.groups
    .flatMap((_, group) => {
      const isShared = new Set(places.map((mask) => mask & (2 ** group))).size === 2;
      const { name, from, to } = changeOf(design, group);
      return isShared ? [`${name} ${(before & (2 ** group)) === 0 ? from : to}`] : [];
    })
    .join(', ');
}

function factorsOf({ design, space, architecture }: Experiment, fit: Fit, shareOf: ShareOf): FactorEffect[] {
  const groups = [...design.groups.keys()].filter((group) => group !== architecture);
  return groups.map((group) => ({
    ...changeOf(design, group),
    ...groupEffect(fit, group, space.masks, groups.length),
    share: shareOf([group]),
  }));
}

function interactionsOf(
  { design, space, architecture }: Experiment,
  fit: Fit,
  terms: readonly Term[],
  shareOf: ShareOf,
): Interaction[] {
  const pairs = terms.filter(({ length }) => length === 2);
  return significantInteractions(fit, pairs, space.masks).map(({ term, ...effect }) => {
    const [group = 0, by = 0] = term;
    const nameOf = (one: number): string =>
      one === architecture ? 'architecture' : changeOf(design, one).name;
    const { from, to } = changeOf(design, by);
    return { factor: nameOf(group), by: { name: nameOf(by), from, to }, ...effect, share: shareOf(term) };
  });
}

/** The changes of a group as one. */
function changeOf(
  { groups, changes }: ExplainDesign,
  group: number,
): { name: string; from: string; to: string } {
  const made = (groups[group] ?? []).flatMap((index) => changes[index] ?? []);
  if (made.length === 0) throw new RangeError(`explain: no group ${group}`);
  const joined = (part: 'name' | 'from' | 'to'): string => made.map((change) => change[part]).join(' + ');
  return { name: joined('name'), from: joined('from'), to: joined('to') };
}

function withoutNumber(
  { cells }: ExplainDesign,
  { masks, ungrouped }: Space,
  measured: Measured,
): Explanation['skipped'] {
  const found = new Set(masks.filter((mask) => measured.has(mask)).map(ungrouped));
  return cells
    .filter(({ mask }) => !found.has(mask))
    .map(({ cellId }) => ({
      cell: cellId,
      reason: 'it has no number in this run; the table of cells says why',
    }));
}
