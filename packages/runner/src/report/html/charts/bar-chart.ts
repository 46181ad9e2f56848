import { scaleLinear, type ScaleContinuousNumeric } from 'd3-scale';
import type { Interval } from '@fair-bench/contract';
import { html, type Markup } from '../markup.ts';
import { short } from './axes.ts';
import { canvas, chartWidth, label, px, rule, shortened } from './canvas.ts';

/** One stretch of a bar, from where to where. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly style: string;
}

export interface Bar {
  readonly name: string;
  /** What stands at the right of its name. */
  readonly value: string;
  readonly stretches: readonly Stretch[];
  readonly ci95?: Interval | null;
}

export interface BarChart {
  readonly label: string;
  readonly title: string;
  readonly bars: readonly Bar[];
  /** Where it does not begin at 0. */
  readonly scale?: ScaleContinuousNumeric<number, number>;
  readonly ticks?: readonly number[];
}

const rowHeight = 36;
const edge = { left: 4, right: 6, top: 2, bottom: 30 };
/** Characters that a name and its value have together on one line. */
const lineCharacters = 54;

/** Bars that lie, each under its name: names have the whole width, also on a phone. */
export function barChart({ label: name, title, bars, ...axis }: BarChart): Markup {
  const ends = bars.flatMap(({ stretches, ci95 }) => [...stretches.map(({ to }) => to), ci95?.[1] ?? 0]);
  const scale = axis.scale ?? scaleLinear([0, Math.max(1e-9, ...ends)], [0, 1]).nice(4);
  const toX = scale.copy().range([edge.left, chartWidth - edge.right]);
  const bottom = edge.top + bars.length * rowHeight;
  return canvas(name, bottom + edge.bottom, [
    (axis.ticks ?? scale.ticks(4)).map((value) => [
      rule(toX(value), edge.top, toX(value), bottom),
      label({ x: toX(value), y: bottom + 13, text: short(value), anchor: anchorAt(toX(value)) }),
    ]),
    rule(edge.left, bottom, chartWidth - edge.right, bottom, 'axis'),
    label({ x: chartWidth - edge.right, y: bottom + 26, text: title, anchor: 'end' }),
    bars.map((bar, index) => drawn(bar, edge.top + index * rowHeight, toX)),
  ]);
}

function drawn({ name, value, stretches, ci95 }: Bar, y: number, toX: (value: number) => number): Markup {
  const whisker =
    ci95 === undefined || ci95 === null
      ? []
      : [
          rule(toX(ci95[0]), y + 24, toX(ci95[1]), y + 24, 'whisker dark'),
          ...ci95.map((at) => rule(toX(at), y + 20, toX(at), y + 28, 'whisker dark')),
        ];
  return html`<g
    >${label({ x: edge.left, y: y + 13, text: shortened(name, lineCharacters - value.length), kind: 'name' })}${label(
      { x: chartWidth - edge.right, y: y + 13, text: value, anchor: 'end', kind: 'value' },
    )}${stretches.map(({ from, to, style }) => {
      const [left, right] = [Math.min(toX(from), toX(to)), Math.max(toX(from), toX(to))];
      return html`<rect
        x="${px(left)}"
        y="${y + 18}"
        width="${px(Math.max(0.8, right - left))}"
        height="12"
        class="area ${style}"
      ></rect> `;
    })}${whisker}</g
  > `;
}

function anchorAt(x: number): 'start' | 'middle' | 'end' {
  if (x < 16) return 'start';
  return x > chartWidth - 20 ? 'end' : 'middle';
}
