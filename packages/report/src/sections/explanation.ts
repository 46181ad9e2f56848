import type { Interval } from '@fair-bench/contract';
import type { Architecture, Explanation, FactorEffect, Interaction, RunSummary } from '@fair-bench/results';
import {
  absent,
  bracketed,
  capitalized,
  endsInShort,
  formatRatio,
  plural,
  rangeText,
  ratioText,
  valueInWords,
} from './format.ts';
import { type ColumnOf, left, right, type Section, tableOf } from './section.ts';

const barWidth = 32;

/** The path of a gap as a waterfall, the step between the systems in each place, and the factors with their interactions. */
export function explanationSection({ explanation, run }: RunSummary): readonly Section[] {
  if (explanation === undefined) {
    const lines = ['No explanation: one of the two ends has no number in this run.'];
    return run.mode === 'explain' ? [{ title, lines, table: null }] : [];
  }
  return [
    {
      title,
      lines: [describeHeadline(explanation), describePath(explanation)],
      table: tableOf(columns, rowsOf(explanation)),
    },
    ...cornersSection(explanation),
    ...factorsSection(explanation),
    ...leftOutSection(explanation),
  ];
}

const title = 'Where the gap comes from';

/** A bar of the waterfall: one change of the path, measured directly. */
export interface Step {
  readonly name: string;
  readonly change: string;
  readonly multiplier: number;
  readonly ci95: Interval | null;
}

/** In the order of the path. */
export function stepsOf({ path, from, to }: Explanation): readonly Step[] {
  return path.map(({ name, from: before, to: after, multiplier, ci95, isArchitecture }) => ({
    name: isArchitecture ? 'architecture' : name,
    change: isArchitecture ? systemsOf({ from, to }) : changeText({ from: before, to: after }),
    multiplier,
    ci95,
  }));
}

/** One path alone shows each change in one place: the order decides what each is worth where they interact. */
export function describePath({ path }: Explanation): string {
  if (path.length === 0) return 'A void cell breaks every path from end to end: only the whole was measured.';
  return 'The waterfall is one path from end to end, a change at a time in this order, and each step was measured directly. In another order a change may be worth more or less: the factors below say how much.';
}

/** The step between the systems, in every place where it was measured; empty within one system. */
export function architectureSentences({ architecture }: Explanation): readonly string[] {
  if (architecture === null) return [];
  const { corners, includes } = architecture;
  const contains = includes.length === 0 ? '' : ` It contains ${includes.map(accessInWords).join(', ')}.`;
  const [only] = corners;
  if (only !== undefined && corners.length === 1)
    return [`Architecture, with every setting equal: ${valueOf(only)}.${contains}`];
  const places = corners
    .toSorted((a, b) => a.multiplier - b.multiplier)
    .map((corner) => `${valueOf(corner)} at ${corner.at}`)
    .join('; ');
  return [
    architecture.differs
      ? `The step between the systems differs from place to place: ${places}.${contains}`
      : `Architecture, with every setting equal: ${valueOf(architecture)} on average, without a significant difference between its ${plural(corners.length, 'place')} (${places}).${contains}`,
  ];
}

/** The factors, the one with the largest share of the variation first. */
export function factorSentences({ factors, interactions }: Explanation): readonly string[] {
  return factors
    .toSorted((a, b) => b.share - a.share)
    .map((factor) => {
      const [low, high] = factor.ci95 ?? [1, 1];
      const change = `${capitalized(factor.name)} (${changeText(factor)})`;
      const main = `${valueOf(factor)}${low <= 1 && high >= 1 ? ', not significant' : ''}`;
      const depends = interactions
        .filter((one) => one.factor === factor.name)
        .map((one) => interactionText(one));
      return depends.length === 0
        ? `${change}: ${main}.`
        : `${change}: ${main} on average; ${depends.join('; ')}.`;
    });
}

/** `5.6 × with data access orm, 1.2 × with stored procedure`. */
export function interactionText({ by, before, after }: Interaction): string {
  return `${formatRatio(before)} × with ${by.name} ${valueInWords(by.from)}, ${formatRatio(after)} × with ${valueInWords(by.to)}`;
}

/** How well the factors were found; in sentences. */
export function describeModel({ factors, model }: Explanation): readonly string[] {
  const { cellsMeasured, cellsPossible, lackOfFit, merged, terms, termsMissing } = model;
  const cells = `${cellsMeasured} of ${plural(cellsPossible, 'possible combination')} measured`;
  const together = merged.map(
    ({ names, reason }) => `${names.join(' and ')} count as one factor: ${reason}.`,
  );
  if (factors.length === 0 && termsMissing > 0) {
    return [
      `${cells}: too few to tell the ${terms + termsMissing} effects and interactions apart. A longer --budget measures more.`,
      ...together,
    ];
  }
  const isWhole = cellsMeasured === cellsPossible;
  const how = isWhole
    ? 'each effect is the mean over every place where the factor alone changes'
    : 'a model of main effects and two-factor interactions predicts the others';
  const poor =
    lackOfFit !== null && lackOfFit.pValue < 0.05
      ? [
          isWhole
            ? `Three or more factors interact (lack of fit: p ${lackOfFit.pValue.toPrecision(2)}): the smallest and largest effects say how far.`
            : `The model does not fit well (lack of fit: p ${lackOfFit.pValue.toPrecision(2)}), so the intervals contain its misfit.`,
        ]
      : [];
  return [`${cells}; ${how}.`, ...poor, ...together];
}

function valueOf({
  multiplier,
  ci95,
}: {
  readonly multiplier: number;
  readonly ci95: Interval | null;
}): string {
  return ratioText({ ratio: multiplier, ci95 });
}

function changeText({ from, to }: { readonly from: string; readonly to: string }): string {
  return `${valueInWords(from)} → ${valueInWords(to)}`;
}

function systemsOf(explanation: { readonly from: string; readonly to: string }): string {
  const { from, to } = endsInShort(explanation);
  const [before = from] = from.split('-');
  const [after = to] = to.split('-');
  return `${before} → ${after}`;
}

/** `data access (stored procedure → engine)`; other parts of the step are names already. */
function accessInWords(part: string): string {
  return part.startsWith('data access') ? part.replaceAll(/[a-z]+-[a-z-]+/g, valueInWords) : part;
}

/** A step as a row: its bar begins where the previous one ended. */
interface Row extends Step {
  readonly bar: string;
  readonly reached: number;
}

const columns: readonly ColumnOf<Row>[] = [
  left('change', ({ name }) => name),
  left('from → to', ({ change }) => change),
  right('multiplier', ({ multiplier }) => `${formatRatio(multiplier)} ×`),
  right('95 %', ({ ci95 }) => rangeText(ci95)),
  right('reached', ({ reached }) => `${formatRatio(reached)} ×`),
  left('waterfall', ({ bar }) => bar),
];

function rowsOf(explanation: Explanation): readonly Row[] {
  const { ratio: multiplier, ci95 } = explanation;
  const { from, to } = endsInShort(explanation);
  const steps = stepsOf(explanation);
  const scale = scaleOf(steps.map((step) => step.multiplier));
  let reached = 1;
  const rows = steps.map((step) => {
    const before = reached;
    reached *= step.multiplier;
    return { ...step, reached, bar: scale.bar(before, reached) };
  });
  const headline = { name: 'headline', change: `${from} → ${to}`, multiplier, ci95 };
  return [...rows, { ...headline, reached: multiplier, bar: scale.bar(1, multiplier) }];
}

/** The logarithm from the lowest to the highest point of the waterfall, in characters. */
function scaleOf(multipliers: readonly number[]): {
  bar: (from: number, to: number) => string;
} {
  let log = 0;
  const logs = [0, ...multipliers.map((multiplier) => (log += Math.log(multiplier)))];
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  const place = (value: number): number =>
    high === low ? 0 : Math.round(((Math.log(value) - low) / (high - low)) * barWidth);
  return {
    bar(from, to) {
      const [start, end] = [place(from), place(to)].toSorted((a, b) => a - b);
      const width = Math.max(1, (end ?? 0) - (start ?? 0));
      const offset = Math.min(start ?? 0, barWidth - 1);
      return '·'.repeat(offset) + (to >= from ? '█' : '▒').repeat(width);
    },
  };
}

function describeHeadline({ from, to, ratio, ci95 }: Explanation): string {
  return `${to} is ${formatRatio(ratio)} times as fast as ${from}${ci95 === null ? '' : ` (95 %: ${rangeText(ci95)})`}.`;
}

const cornerColumns: readonly ColumnOf<Architecture['corners'][number]>[] = [
  left('where', ({ at }) => at),
  right('multiplier', ({ multiplier }) => `${formatRatio(multiplier)} ×`),
  right('95 %', ({ ci95 }) => rangeText(ci95)),
  right('rounds', ({ rounds }) => String(rounds)),
];

/** The step between the systems, place by place; what it contains stands above. */
function cornersSection(explanation: Explanation): readonly Section[] {
  const { architecture } = explanation;
  if (architecture === null) return [];
  const { corners, ofOneSystem } = architecture;
  const oneSided =
    ofOneSystem.length === 0
      ? []
      : [
          `It also contains what stands in the other system for settings that only one has (${ofOneSystem.join('; ')}).`,
        ];
  return [
    {
      title: 'The step between the systems',
      lines: [...architectureSentences(explanation), ...oneSided],
      table: corners.length === 1 ? null : tableOf(cornerColumns, corners),
    },
  ];
}

const factorColumns: readonly ColumnOf<FactorEffect>[] = [
  left('factor', ({ name }) => name),
  left('change', (factor) => changeText(factor)),
  right('mean effect', ({ multiplier }) => `${formatRatio(multiplier)} ×`),
  right('95 %', ({ ci95 }) => rangeText(ci95)),
  right('smallest', ({ min }) => `${formatRatio(min)} ×`),
  right('largest', ({ max }) => `${formatRatio(max)} ×`),
  right('share of variation', ({ share }) => percentOf(share)),
];

function percentOf(share: number): string {
  return share === 0 ? absent : `${(100 * share).toPrecision(2)} %`;
}

function factorsSection(explanation: Explanation): readonly Section[] {
  const { factors, interactions } = explanation;
  const depends = interactions.map((one) => {
    const { factor, ratio, ci95 } = one;
    const by = ci95 === null ? '' : ` (${formatRatio(ratio)} × ${bracketed(ci95)} apart)`;
    return `${capitalized(factor)} depends on ${one.by.name}: ${interactionText(one)}${by}.`;
  });
  const key =
    factors.length === 0
      ? []
      : [
          'Mean effects do not multiply to the headline where factors interact. Their intervals hold jointly with 95 %. The share of variation is what goes without the factor (η², Type II); shares need not add up to 100 %.',
        ];
  return [
    {
      title: 'What each factor is worth',
      lines: [...describeModel(explanation), ...key, ...depends],
      table: factors.length === 0 ? null : tableOf(factorColumns, factors),
    },
  ];
}

/** Every skipped cell, grouped by reason. */
function leftOutSection({ skipped }: Explanation): readonly Section[] {
  if (skipped.length === 0) return [];
  const lines = [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, same]) => {
    const more = same.length === 1 ? '' : ` and ${same.length - 1} more`;
    return `${same[0]?.cell}${more}: ${reason}`;
  });
  return [{ title: 'Not part of the explanation', lines, table: null }];
}
