import { isChosen, type MeasuredCell, type RunSummary, type Search } from '@fair-bench/results';
import { formatNumber } from './format.ts';

type Point = Extract<Search['points'][number], { status: 'ok' }>;
type Load = NonNullable<Search['chosen']>;

/** What a search found for one system at one combination. */
export interface BestPoint {
  /** The system, with what distinguishes its table. */
  readonly name: string;
  /** The chosen candidate, with every point that it was tried at. */
  readonly search: Search;
  readonly best: Point;
  /** The fastest point of the search, by whichever candidate. */
  readonly peak: Point;
  /** What the rounds measured at the best point: null if they did not. */
  readonly confirmed: MeasuredCell | null;
  /** The same in an open loop, if its rate was searched. */
  readonly open: MeasuredCell | null;
}

/** The best point of each contest of the search, in its order; a contest without one is left out. */
export function bestPointsOf({ search = [], cells }: RunSummary): readonly BestPoint[] {
  const measured = cells.filter((cell) => cell.status === 'ok');
  return search.flatMap((one): BestPoint[] => {
    if (one.chosen === null) return [];
    const rivals = search.filter((other) => other.contest === one.contest);
    const withPeak = rivals.find(({ peak }) => peak !== undefined);
    const best = pointAt(one, one.chosen);
    const peak = withPeak?.peak === undefined ? best : pointAt(withPeak, withPeak.peak);
    if (best === null) return [];
    const same = measured.filter((cell) => isChosen(one, cell));
    return [
      {
        name: one.contest ?? one.target,
        search: one,
        best,
        peak: peak ?? best,
        confirmed: same.find(({ ratePerSecond }) => ratePerSecond === undefined) ?? null,
        open: same.find(({ ratePerSecond }) => ratePerSecond !== undefined) ?? null,
      },
    ];
  });
}

export function inFlight({ sessions, depth }: Pick<Load, 'sessions' | 'depth'>): number {
  return sessions * depth;
}

/** Throughput by the surface through all trials of the search: the fastest of many means is too high. */
export function estimatedTps({ tps, ci95 }: Point): number {
  return ci95 === undefined ? tps : Math.sqrt(ci95[0] * ci95[1]);
}

/** The best point in a sentence, and the peak: what more throughput would cost. */
export function describeBestPoint(found: BestPoint): string {
  const { name, search, best, peak, confirmed } = found;
  const tps = confirmed === null ? estimatedTps(best) : confirmed.tps.mean;
  const p99 = confirmed === null ? best.p99Ms : confirmed.latencyMs.p99;
  const by = `${search.target} by the ${search.client} client, ${placeOf(best)}${describeKnee(search)}`;
  const mark = confirmed === null ? 'search only, not confirmed: ' : '';
  const at = `${mark}${formatNumber(tps)} TPS at ${formatNumber(inFlight(best))} in flight (${by})${latency(p99)}`;
  return `${name}: ${at}${describePeak(found, peak)}${describeBound(found)}.`;
}

/** Where the knee may be, as far as the search can tell. */
function describeKnee({ kneeInFlight }: Search): string {
  if (kneeInFlight === undefined) return '';
  const [low, high] = kneeInFlight.map(formatNumber);
  return low === high ? '' : `; the knee is at ${low} to ${high}`;
}

function describePeak({ best, search }: BestPoint, peak: Point): string {
  if (inFlight(peak) === inFlight(best) && search.peak !== undefined)
    return ', which was also the fastest in the search';
  return `; peak in the search ${formatNumber(estimatedTps(peak))} at ${formatNumber(inFlight(peak))}${latency(peak.p99Ms)}`;
}

/** Whether the bound of p99 held in the rounds, closed loop and open loop. */
function describeBound({ search, confirmed, open }: BestPoint): string {
  const { p99MaxMs, rateWithinBound } = search;
  if (p99MaxMs === undefined || confirmed === null) return '';
  const verdict = (ms: number): string =>
    `${formatNumber(ms)} ms, ${ms <= p99MaxMs ? 'within' : 'above'} the bound of ${formatNumber(p99MaxMs)} ms`;
  const closed = `; p99 of the rounds: ${verdict(confirmed.latencyMs.p99)}`;
  if (open?.openLoop === undefined) {
    return rateWithinBound === null ? `${closed}; no rate of an open loop kept it` : closed;
  }
  const { openLoop, latencyMs } = open;
  const achieved = openLoop.held ? '' : ', which it did not sustain';
  return `${closed}; in an open loop at ${formatNumber(openLoop.offeredPerSecond)} per second${achieved}: ${verdict(latencyMs.p99)}`;
}

function latency(p99Ms: number | undefined): string {
  return p99Ms === undefined ? '' : `, p99 ${formatNumber(p99Ms)} ms`;
}

export function placeOf({ sessions, depth, poolSize }: Load, times = ' × '): string {
  return `${sessions}${times}${depth}${poolSize === undefined ? '' : `, pool ${poolSize}`}`;
}

function pointAt({ points }: Search, load: Load): Point | null {
  const found = points.find((point) => placeOf(point) === placeOf(load));
  return found?.status === 'ok' ? found : null;
}
