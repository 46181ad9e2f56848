import type { ScaleContinuousNumeric } from 'd3-scale';
import { line } from 'd3-shape';
import type { Interval } from '@fair-bench/contract';
import { type Content, html, type Markup } from '../markup.ts';
import { canvas, chartWidth, label, px, rule } from './canvas.ts';

export interface Tick {
  readonly value: number;
  readonly text: string;
}

export interface Axis {
  readonly title: string;
  /** From the parameter to a position; the chart sets its range. */
  readonly scale: ScaleContinuousNumeric<number, number>;
  readonly ticks: readonly Tick[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
  readonly ci95?: Interval | null;
}

export interface Curve {
  readonly style: string;
  readonly points: readonly Point[];
  readonly dots: boolean;
  /** Points with a ring around them. */
  readonly rings?: readonly Point[];
}

interface LineChart {
  readonly label: string;
  readonly height: number;
  readonly x: Axis;
  readonly y: Axis;
  readonly curves: readonly Curve[];
  /** Shaded ranges of x. */
  readonly bands?: readonly Interval[];
  /** Values of x, each drawn as a vertical line with a word at its top. */
  readonly marks?: readonly { readonly x: number; readonly text: string }[];
}

const margin = { left: 46, right: 12, top: 14, bottom: 34 };

/** Curves over two axes, with intervals where points have them. */
export function lineChart(chart: LineChart): Markup {
  const { x, y, height, curves, bands = [], marks = [] } = chart;
  const [top, bottom] = [margin.top, height - margin.bottom];
  const [start, end] = [margin.left, chartWidth - margin.right];
  const toX = x.scale.copy().range([start, end]);
  const toY = y.scale.copy().range([bottom, top]);
  return canvas(chart.label, height, [
    bands.map(
      ([from, to]) =>
        html`<rect
          x="${px(toX(from))}"
          y="${top}"
          width="${px(toX(to) - toX(from))}"
          height="${bottom - top}"
          class="band"
        ></rect> `,
    ),
    y.ticks.map(({ value, text }) => [
      rule(start, toY(value), end, toY(value)),
      label({ x: start - 5, y: toY(value) + 4, text, anchor: 'end' }),
    ]),
    x.ticks.map(({ value, text }) => [
      rule(toX(value), bottom, toX(value), bottom + 4, 'axis'),
      label({ x: toX(value), y: bottom + 16, text, anchor: end - toX(value) < 8 ? 'end' : 'middle' }),
    ]),
    rule(start, bottom, end, bottom, 'axis'),
    label({ x: end, y: height - 4, text: x.title, anchor: 'end' }),
    label({ x: 2, y: 9, text: y.title }),
    marks.map((mark, index) => [
      rule(toX(mark.x), top, toX(mark.x), bottom, 'mark'),
      // Two words too close would read as one: the table and the findings have both.
      marks.slice(0, index).some((before) => Math.abs(toX(before.x) - toX(mark.x)) < wordWidth)
        ? null
        : label({ x: toX(mark.x), y: top - 3, text: mark.text, anchor: anchorOf(toX(mark.x), start, end) }),
    ]),
    curves.map((curve) => drawn(curve, toX, toY)),
  ]);
}

/** Approximate width of a mark's word. */
const wordWidth = 44;

function anchorOf(x: number, start: number, end: number): 'start' | 'middle' | 'end' {
  if (x < start + wordWidth / 2) return 'start';
  return x > end - wordWidth / 2 ? 'end' : 'middle';
}

type Position = (value: number) => number;

function drawn({ style, points, dots, rings = [] }: Curve, toX: Position, toY: Position): Content {
  const path = line<Point>(
    ({ x }) => px(toX(x)),
    ({ y }) => px(toY(y)),
  )([...points]);
  const whiskers = points.flatMap(({ x, ci95 }) =>
    ci95 === undefined || ci95 === null ? [] : [rule(toX(x), toY(ci95[0]), toX(x), toY(ci95[1]), 'whisker')],
  );
  const circles = dots
    ? points.map(
        ({ x, y }) => html`<circle cx="${px(toX(x))}" cy="${px(toY(y))}" r="2.5" class="dot"></circle> `,
      )
    : [];
  return html`<g class="${style}"
    ><path d="${path ?? ''}" class="curve"></path>
    ${whiskers}${circles}${rings.map(({ x, y }) => html`<circle cx="${px(toX(x))}" cy="${px(toY(y))}" r="6" class="ring"></circle> `)}</g
  > `;
}
