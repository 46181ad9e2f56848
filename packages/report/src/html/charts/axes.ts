import { scaleLinear, scaleLog } from 'd3-scale';
import { formatNumber } from '../../sections/format.ts';
import type { Axis, Tick } from './line-chart.ts';

/** From 0 to a round number above the largest value. */
export function axisFromZero(title: string, values: readonly number[], ticks = 4): Axis {
  const scale = scaleLinear([0, Math.max(1e-9, ...values)], [0, 1]).nice(ticks);
  return { title, scale, ticks: scale.ticks(ticks).map((value) => ({ value, text: short(value) })) };
}

export function linearAxis(title: string, values: readonly number[], ticks = 6): Axis {
  const scale = scaleLinear(extent(values), [0, 1]);
  return { title, scale, ticks: scale.ticks(ticks).map((value) => ({ value, text: short(value) })) };
}

/** From the round number at or below the smallest value to the one at or above the largest: 1, 2 or 5 times a power of ten. */
export function logAxis(title: string, values: readonly number[]): Axis {
  const positive = values.filter((value) => value > 0);
  const [least, most] = extent(positive.length === 0 ? [1, 10] : positive);
  const powers = Math.floor(Math.log10(least));
  const around = Array.from(
    { length: Math.ceil(Math.log10(most)) - powers + 1 },
    (_, power) => power + powers,
  );
  const round = around.flatMap((power) => [1, 2, 5].map((step) => step * 10 ** power));
  const low = round.findLast((value) => value <= least) ?? least;
  const high = round.find((value) => value >= most && value > low) ?? most;
  const decades = Math.log10(high / low);
  const steps = decades > 3 ? [1] : decades > 1.2 ? [1, 3] : [1, 2, 5];
  const ticks: readonly Tick[] = around
    .flatMap((power) => steps.map((step) => step * 10 ** power))
    .filter((value) => value >= low * 0.999 && value <= high * 1.001)
    .map((value) => ({ value, text: short(value) }));
  return { title, scale: scaleLog([low, high], [0, 1]), ticks };
}

/** Ticks at the values themselves, as many as fit. */
export function axisAtValues(title: string, values: readonly number[], scaleName: 'linear' | 'log'): Axis {
  const [low, high] = extent(values);
  const scale = scaleName === 'log' ? scaleLog([low, high], [0, 1]) : scaleLinear([low, high], [0, 1]);
  const every = Math.ceil(values.length / 8);
  const ticks = values
    .filter((_value, index) => index % every === 0)
    .map((value) => ({ value, text: short(value) }));
  return { title, scale, ticks };
}

/** `1.2k`, `3.4M`: short enough for an axis. */
export function short(value: number): string {
  if (Math.abs(value) >= 1e6) return `${formatNumber(value / 1e6)}M`;
  return Math.abs(value) >= 1000 ? `${formatNumber(value / 1000)}k` : formatNumber(value);
}

function extent(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}
