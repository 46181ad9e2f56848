import type { Draw } from '@fair-bench/results';
import { inFlightOf, type Place } from '../../src/search/terrain.ts';

export type Surface = (place: Place) => number;
/** What each next trial of a search adds to the logarithm of its throughput. */
export type Noise = (draw: Draw) => () => number;

/** One trial in thirty is hit by the machine. */
const hit = { share: 0.03, by: 0.3 };
export const white: Noise = (draw) => () => 0.07 * gaussian(draw) - (uniform(draw) < hit.share ? hit.by : 0);

/** Of one system, while two take turns. */
export const trialEverySeconds = 8;

/** A share of the variance is slow: it hits neighbouring trials alike. */
const slowlyOff =
  (deviation: number, { share, seconds }: { readonly share: number; readonly seconds: number }): Noise =>
  (draw) => {
    const kept = Math.exp(-trialEverySeconds / seconds);
    let swing = gaussian(draw);
    return () => {
      swing = kept * swing + Math.sqrt(1 - kept ** 2) * gaussian(draw);
      return deviation * (Math.sqrt(share) * swing + Math.sqrt(1 - share) * gaussian(draw));
    };
  };

export const swinging = (deviation: number): Noise => slowlyOff(deviation, { share: 0.5, seconds: 15 });
/** As where others on the hardware slow all trials of some minutes. */
export const drifting = (deviation: number): Noise => slowlyOff(deviation, { share: 0.7, seconds: 70 });

/** Surfaces of databases: constants drawn for each search. */
export const surfaces: Readonly<Record<string, (draw: Draw) => Surface>> = {
  // Throughput saturates with the operations in flight.
  saturating: (draw) => {
    const half = 2 * 100 ** uniform(draw);
    return (place) => 1 / (1 + half / inFlightOf(place));
  },
  // Beyond a peak contention takes it down: the Universal Scalability Law (Gunther 1993).
  contended: (draw) => {
    const [half, peak] = [2 * 30 ** uniform(draw), 30 * 200 ** uniform(draw)];
    return (place) => 1 / (1 + half / inFlightOf(place) + (inFlightOf(place) * half) / peak ** 2);
  },
  // Sessions and depth each have a cost of their own.
  crowded: (draw) => {
    const half = 2 * 30 ** uniform(draw);
    const [most, deepest] = [100 * 30 ** uniform(draw), 16 * 30 ** uniform(draw)];
    return (place) =>
      1 / (1 + half / inFlightOf(place)) / (1 + place.sessions / most) / (1 + place.depth / deepest);
  },
  // A session that waits for each reply costs more than one that sends ahead.
  waiting: (draw) => {
    const [half, cost] = [2 * 20 ** uniform(draw), 0.1 + 0.5 * uniform(draw)];
    return (place) => 1 / (1 + half / inFlightOf(place)) / (1 + cost / place.depth);
  },
};

/** Curves as they were measured: nearly by operations in flight alone, with small deviations. */
export const curves: Readonly<
  Record<'postgres' | 'sqlite' | 'workers' | 'late' | 'grouped', (draw: Draw) => Surface>
> = {
  // Saturates late, and falls slightly after 1,600.
  postgres: (draw) => {
    const [half, peak, uneven] = [30 * 2 ** uniform(draw), 1600 * 2 ** uniform(draw), unevenness(draw)];
    return (place) => {
      const inFlight = inFlightOf(place);
      return uneven(place) / (1 + half / inFlight + (inFlight * half) / peak ** 2);
    };
  },
  // Flat from some tens on.
  sqlite: (draw) => {
    const [half, uneven] = [3 ** uniform(draw), unevenness(draw)];
    return (place) => uneven(place) / (1 + half / inFlightOf(place));
  },
  // Each session has a worker of its own; depth only fills the way between two of its replies.
  workers: (draw) => {
    const [few, wait, lone] = [1 + 7 * uniform(draw), 1 + 14 * uniform(draw), 0.4 * uniform(draw)];
    const [peak, uneven] = [8000 * 4 ** uniform(draw), unevenness(draw)];
    return (place) => {
      const inFlight = inFlightOf(place);
      const alone = (lone * Math.min(1, place.sessions / 200)) / place.depth;
      return uneven(place) / (1 + few / place.sessions + wait / inFlight + alone + (inFlight / peak) ** 2);
    };
  },
  // Few in flight reach nearly the most; commits that come together gain the rest.
  late: (draw) => {
    const [gain, half, uneven] = [0.1 + 0.3 * uniform(draw), 20 * 8 ** uniform(draw), unevenness(draw)];
    return (place) => uneven(place) / (1 + gain / (1 + inFlightOf(place) / half));
  },
  // The same at once: with some hundreds in flight enough commits come together.
  grouped: (draw) => {
    const [gain, half, bend] = [0.08 + 0.14 * uniform(draw), 60 * 4 ** uniform(draw), 2 + 2 * uniform(draw)];
    const [few, uneven] = [0.12 * uniform(draw), unevenness(draw)];
    return (place) => {
      const inFlight = inFlightOf(place);
      return uneven(place) / (1 + gain / (1 + (inFlight / half) ** bend) + few / inFlight);
    };
  },
};

/** Between sessions and depth, of 1 to 3 %. */
function unevenness(draw: Draw): Surface {
  const deviation = 0.01 + 0.02 * uniform(draw);
  const [a, b, pace] = [gaussian(draw), gaussian(draw), 0.3 + 0.5 * uniform(draw)];
  return (place) => {
    const at = Math.log2(place.sessions / place.depth) * pace;
    return Math.exp(deviation * (a * Math.sin(at) + b * Math.cos(at)));
  };
}

export function uniform(draw: Draw): number {
  return Number(draw() >> 11n) / 2 ** 53;
}

/** Box & Muller. */
function gaussian(draw: Draw): number {
  return Math.sqrt(-2 * Math.log(1 - uniform(draw))) * Math.cos(2 * Math.PI * uniform(draw));
}
