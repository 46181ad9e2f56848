import type { MeanEstimate, RunSummary, Sweep, SweepCurve } from '@fair-bench/results';
import { collapseRatio, kneeGainShare, scalabilityPointsMin } from '@fair-bench/analysis';
import { absent, formatNumber, plusMinus } from './format.ts';
import { type ColumnOf, right, type Section, tableOf } from './section.ts';

/** A section for each parameter that was swept while the rest was fixed. */
export function sweepsSection({ sweeps = [] }: RunSummary): readonly Section[] {
  return sweeps.map((sweep, index) => ({
    title: sweepTitle(sweep),
    lines: [...(index === 0 ? [method] : []), ...findingsOf(sweep)],
    table: sweepTable(sweep),
  }));
}

/** How knees, collapses and crossovers are found: once for all sweeps. */
const method =
  'TPS by the swept parameter, mean over rounds with its 95 % interval. Knee: the place by Kneedle, kept when the ' +
  `rounds show that a step beyond it brings less than ${kneeGainShare} of a step before it. Collapse: from there on ` +
  `below ${collapseRatio} of the best. Crossover: the ranking flips between two values with significant, opposite ` +
  'winners; its place is interpolated.';

/** What a title leaves out. */
const usual: ReadonlyMap<string, string> = new Map([
  ['durability', 'durable'],
  ['profile', 'default'],
]);

export function sweepTitle({ parameter, fixed }: Sweep): string {
  const others = Object.entries(fixed).flatMap(([name, value]) =>
    usual.get(name) === value || name === 'workload' ? [] : [`${name} ${value}`],
  );
  return `Sweep of ${parameter}${others.length === 0 ? '' : ` at ${others.join(', ')}`}`;
}

/** The findings on the curves, in sentences. */
export function findingsOf(sweep: Sweep): readonly string[] {
  const { parameter, curves, crossovers } = sweep;
  const bends = curves.flatMap((curve) => {
    const { knee, collapse, rateHeld } = curve;
    const found = [
      ...(knee === null ? [] : [`knee at ${parameter} ${knee.x} with ${formatNumber(knee.tps)} TPS`]),
      ...(collapse === null
        ? []
        : [`collapse from ${parameter} ${collapse.x} with ${formatNumber(collapse.tps)} TPS`]),
      ...sustainedInWords(rateHeld),
    ];
    return found.length === 0 ? [] : [`${curveName(curve, sweep)}: ${found.join('; ')}`];
  });
  const flips = crossovers.map(({ targets: [first, second], between, x, firstFasterShare }) => {
    const share = `${formatNumber(firstFasterShare * 100)} % of the swept range`;
    return (
      `${first} and ${second} cross at ${parameter} ${formatNumber(x)} (between ${between.join(' and ')}); ` +
      `${first} is the faster one in ${share}`
    );
  });
  return [
    ...curves.flatMap((curve) => scalabilityInWords(curve, sweep)),
    ...(bends.length === 0 ? ['No knee and no collapse that the intervals support.'] : bends),
    ...(curves.length < 2 || flips.length > 0 ? flips : ['No crossover that the intervals support.']),
  ];
}

/** Nothing where another parameter than the rate was swept. */
function sustainedInWords(rateHeld: number | null | undefined): readonly string[] {
  if (rateHeld === undefined) return [];
  return [
    rateHeld === null
      ? 'no offered rate was sustained'
      : `highest sustained rate ${formatNumber(rateHeld)} per second`,
  ];
}

/** The law's parameters, and what it says beyond the measured points; nothing where another parameter was swept. */
function scalabilityInWords(curve: SweepCurve, sweep: Sweep): readonly string[] {
  const { scalability, points } = curve;
  const name = curveName(curve, sweep);
  if (scalability === undefined) return [];
  if (scalability === null) {
    const why = `the Universal Scalability Law needs ${scalabilityPointsMin} measured points and two rounds, and there are ${points.length} points`;
    return [`${name}: measured points only; nothing is extrapolated, because ${why}.`];
  }
  const { gamma, alpha, beta, extrapolated } = scalability;
  const text = ({ mean, ci95 }: MeanEstimate): string =>
    `${formatNumber(mean)}${ci95 === null ? '' : ` [${ci95.map(formatNumber).join(', ')}]`}`;
  const beyond = extrapolated.map(({ x, tps }) => `${x} processors ${text(tps)} TPS`).join(', ');
  return [
    `${name}, Universal Scalability Law (Gunther 2007): ${text(gamma)} TPS of one processor, contention ${text(alpha)}, coherency ${text(beta)}. ` +
      `Extrapolated, not measured: ${beyond}. The intervals assume that the law holds there.`,
  ];
}

/** The load client, where the sweep has several. */
export function curveName({ target, client }: SweepCurve, { curves }: Sweep): string {
  return new Set(curves.map((curve) => curve.client)).size > 1 ? `${target} (${client})` : target;
}

function sweepTable(sweep: Sweep): Section['table'] {
  const { parameter, curves } = sweep;
  const values = [...new Set(curves.flatMap(({ points }) => points.map(({ x }) => x)))];
  const columns: readonly ColumnOf<number>[] = [
    right(parameter, String),
    ...curves.flatMap((curve) => {
      const name = curveName(curve, sweep);
      const pointAt = (x: number) => curve.points.find((point) => point.x === x);
      return [
        right<number>(name, (x) => formatTps(pointAt(x)?.tps), name),
        right<number>(
          '± 95 %',
          (x) => {
            const point = pointAt(x);
            return point === undefined ? absent : plusMinus(point.tps, point.ci95);
          },
          name,
        ),
      ];
    }),
  ];
  return tableOf(
    columns,
    values.toSorted((a, b) => a - b),
  );
}

function formatTps(tps: number | undefined): string {
  return tps === undefined ? absent : formatNumber(tps);
}
