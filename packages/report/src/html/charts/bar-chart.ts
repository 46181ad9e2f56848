import { scaleLinear, type ScaleContinuousNumeric } from 'd3-scale';
import type { Interval } from '@fair-bench/contract';
import { html, type Markup } from '../markup.ts';
import { short } from './axes.ts';
import { canvas, chartWidth, label, px, rule, shortened } from './canvas.ts';

/** One stretch of a bar. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly style: string;
}

export interface Bar {
  readonly name: string;
  /** The text at the right of its name. */
  readonly value: string;
  readonly stretches: readonly Stretch[];
  readonly ci95?: Interval | null;
  /** The prediction interval of the next run. */
  readonly anyRun?: Interval | null;
  /** Shown on hover. */
  readonly title?: string;
}

interface BarChart {
  readonly label: string;
  readonly title: string;
  readonly bars: readonly Bar[];
  /** For an axis that does not begin at 0. */
  readonly scale?: ScaleContinuousNumeric<number, number>;
  readonly ticks?: readonly number[];
}

/** Height of a bar with one line of text; if one name does not fit beside its value, all bars have two lines. */
const rowHeight = 36;
const lineHeight = 15;
const edge = { left: 4, right: 6, top: 2, bottom: 30 };
/** Approximate width of a character of a name and of a value. */
const nameCharacter = 6.5;
const valueCharacter = 7.4;
const lineWidth = chartWidth - edge.left - edge.right;

/** Horizontal bars, each below its name: names have the whole width, also on a phone. */
export function barChart({ label: name, title, bars, ...axis }: BarChart): Markup {
  const ends = bars.flatMap(({ stretches, ci95, anyRun }) => [
    ...stretches.map(({ to }) => to),
    ci95?.[1] ?? 0,
    anyRun?.[1] ?? 0,
  ]);
  const scale = axis.scale ?? scaleLinear([0, Math.max(1e-9, ...ends)], [0, 1]).nice(4);
  // An interval that reaches beyond the axis ends at its edge.
  const toX = scale
    .copy()
    .range([edge.left, chartWidth - edge.right])
    .clamp(true);
  const lines = bars.every(fits) ? 1 : 2;
  const height = rowHeight + (lines - 1) * lineHeight;
  const bottom = edge.top + bars.length * height;
  return canvas(name, bottom + edge.bottom, [
    (axis.ticks ?? scale.ticks(4)).map((value) => [
      rule(toX(value), edge.top, toX(value), bottom),
      label({ x: toX(value), y: bottom + 13, text: short(value), anchor: anchorAt(toX(value)) }),
    ]),
    rule(edge.left, bottom, chartWidth - edge.right, bottom, 'axis'),
    label({ x: chartWidth - edge.right, y: bottom + 26, text: title, anchor: 'end' }),
    bars.map((bar, index) => drawn(bar, edge.top + index * height, lines, toX)),
  ]);
}

function fits({ name, value }: Bar): boolean {
  return name.length * nameCharacter + value.length * valueCharacter + 6 <= lineWidth;
}

function drawn(bar: Bar, top: number, lines: number, toX: (value: number) => number): Markup {
  const { name, value, stretches, ci95, anyRun, title } = bar;
  const valueY = top + 13 + (lines - 1) * lineHeight;
  const middle = valueY + 11;
  const whisker =
    ci95 === undefined || ci95 === null
      ? []
      : [
          rule(toX(ci95[0]), middle, toX(ci95[1]), middle, 'whisker dark'),
          ...ci95.map((at) => rule(toX(at), middle - 4, toX(at), middle + 4, 'whisker dark')),
        ];
  const wider = anyRun ? [rule(toX(anyRun[0]), middle, toX(anyRun[1]), middle, 'whisker dark any')] : [];
  const areas = stretches.map(({ from, to, style }) => {
    const [left, right] = [Math.min(toX(from), toX(to)), Math.max(toX(from), toX(to))];
    const width = px(Math.max(0.8, right - left));
    return html`<rect
      x="${px(left)}"
      y="${middle - 6}"
      width="${width}"
      height="12"
      class="area ${style}"
    ></rect> `;
  });
  const nameText = shortened(name, Math.floor(lineWidth / nameCharacter));
  return html`<g
    >${title === undefined ? null : html`<title>${title}</title>`}${label({ x: edge.left, y: top + 13, text: nameText, kind: 'name' })}${label(
      {
        x: chartWidth - edge.right,
        y: valueY,
        text: value,
        anchor: 'end',
        kind: 'value',
      },
    )}${areas}${wider}${whisker}</g
  > `;
}

function anchorAt(x: number): 'start' | 'middle' | 'end' {
  if (x < 16) return 'start';
  return x > chartWidth - 20 ? 'end' : 'middle';
}
