import { appliedSlotMs, type FaultSummary } from '@fair-bench/results';
import { faultsSection, nameOf, wordsOf } from '../../sections/faults.ts';
import { axisFromZero, linearAxis } from '../charts/axes.ts';
import { lineChart } from '../charts/line-chart.ts';
import type { Evidence } from '../evidence.ts';
import { charts, exact, figure, sectionsMarkup } from '../figure.ts';
import type { Content, Markup } from '../markup.ts';

/** The table, and a chart for each fault and cell: throughput by tenths of a second, one line per trial, from the fault on. */
export function faultsPage({ summary, styleOf }: Evidence): Content {
  const { faults = [] } = summary;
  if (faults.length === 0) return null;
  const figures = faults.flatMap((fault) =>
    fault.courses.length === 0 ? [] : [figureOf(fault, faults, styleOf)],
  );
  return [sectionsMarkup(faultsSection(summary)), charts(figures)];
}

function figureOf(summary: FaultSummary, all: readonly FaultSummary[], styleOf: Evidence['styleOf']): Markup {
  const { target, fault, courses } = summary;
  const name = `${nameOf(summary, all)}, ${wordsOf(fault)}`;
  // Trials begin their fault at times of their own: its beginning is 0 in all.
  const curves = courses.map(({ appliedSlots, beganMs }) => ({
    style: styleOf(target),
    dots: false,
    points: appliedSlots.map((applied, slot) => ({
      x: ((slot + 0.5) * appliedSlotMs - beganMs) / 1_000,
      y: (applied * 1_000) / appliedSlotMs,
    })),
  }));
  const lengths = courses.map(({ beganMs, endedMs }) => (endedMs - beganMs) / 1_000);
  const points = curves.flatMap((curve) => curve.points);
  const chart = lineChart({
    label: `${name}: applied operations per second, by tenths of a second, in ${courses.length} trials`,
    height: 170,
    x: linearAxis('seconds from the fault', [
      Math.min(...points.map(({ x }) => x)),
      Math.max(...points.map(({ x }) => x)),
    ]),
    y: axisFromZero(
      'TPS',
      points.map(({ y }) => y),
      3,
    ),
    curves,
    bands: [[0, Math.max(0.02, ...lengths)]],
    marks: [{ x: 0, text: wordsOf(fault) }],
  });
  const slots = Math.max(...courses.map(({ appliedSlots }) => appliedSlots.length));
  return figure(name, chart, null, {
    heads: ['tenth of a second', ...courses.map((_course, trial) => `applied, trial ${trial + 1}`)],
    rows: Array.from({ length: slots }, (_, slot) => [
      String(slot),
      ...courses.map(({ appliedSlots }) => exact(appliedSlots[slot] ?? null)),
    ]),
  });
}
