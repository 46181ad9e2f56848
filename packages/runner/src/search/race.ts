import {
  type Cell,
  type PassedTrial,
  type RunPlan,
  type Search,
  type SearchBounds,
  type TrialRecord,
  combinationOf,
  meanOf,
  voidsBefore,
} from '@fair-bench/results';
import { latencySummaryMs, reportedLatency } from '@fair-bench/load-client';
import type { TrialRun } from '../measure/trial-plan.ts';
import { atPoint, atRate } from '../plan/assemble-plan.ts';
import type { Contest, Latency } from './contest.ts';
import { isSearched } from './earlier-search.ts';
import { type Candidate, inFlightOf, type Load, type Place } from './terrain.ts';

/** What the trials of a contest need. */
export interface RaceStage {
  readonly plan: RunPlan;
  /** Null if the cell can be measured, otherwise the reason why not. */
  readonly lacking: (cell: Cell) => string | null;
  /** One audited trial of the cell; its record is stored with those of the search. */
  readonly measure: (run: TrialRun, cell: Cell) => Promise<TrialRecord>;
  /** Milliseconds since the start of the run, without what its budget does not count. */
  readonly elapsedMs: () => number;
  /** What an earlier run's search found; this one goes on from there. */
  readonly earlier: readonly Search[];
  readonly signal: AbortSignal;
}

/** A point so slow that its window would need more is void: the search does not wait for it. */
const lengthenedMax = 10;

/** Of an open loop, in shares of the closed loop's throughput at the found point, until one stays within the bound. */
const rateShares = [0.95, 0.85, 0.7, 0.5, 0.3] as const;
/** One alone may stay within the bound by luck. */
const trialsOfRate = 2;

/** The most trials that looking for a rate takes. */
export const rateTrialsMax = rateShares.length * trialsOfRate;

/** Trials that are so far apart are not off together. */
const secondsApart = 1e5;

/** What competes. */
interface Entered {
  readonly name: string;
  readonly system: string;
  readonly cells: readonly Cell[];
  readonly contest: Contest;
}

/** One contest with its trials. */
export class Race {
  readonly #stage: RaceStage;
  readonly #bounds: SearchBounds;
  readonly #entered: Entered;
  readonly #reasons = new Map<string, string>();
  readonly #voids = new Map<string, number>();
  /** Of this run. */
  #trials = 0;
  #rate: number | null | undefined;

  constructor(stage: RaceStage, bounds: SearchBounds, entered: Entered) {
    this.#stage = stage;
    this.#bounds = bounds;
    this.#entered = entered;
    const { contest, cells, name } = entered;
    // When they were measured is not stored.
    let trialsBefore = 0;
    const longAgo = (): number => -secondsApart * (trialsBefore += 1);
    for (const search of stage.earlier) {
      const cell = cells.find((one) => isSearched(one, search));
      if (cell === undefined || stage.lacking(cell) !== null) continue;
      const candidate = candidateOf(cell, stage.plan, bounds);
      for (const point of search.points) {
        const place = { ...loadOf(point), contest: name, candidate };
        if (point.status === 'void') {
          this.#reasons.set(atPoint(cell, place).id, point.reason);
          contest.add(place, null, longAgo());
          continue;
        }
        const { p50Ms, p99Ms, tpsOfTrials } = point;
        for (const tps of tpsOfTrials) contest.add(place, { tps, p50Ms, p99Ms }, longAgo());
      }
    }
  }

  /** One trial; false if nothing is left to try. */
  async step(): Promise<boolean> {
    const { contest } = this.#entered;
    const place = contest.next();
    if (place === null) return false;
    const record = await this.#measure(this.#cellAt(place));
    const seconds = this.#stage.elapsedMs() / 1000;
    contest.add(place, record.status === 'ok' ? numbersOf(record) : null, seconds);
    return true;
  }

  /** With a bound of p99: the highest rate of an open loop, at the best point, that stays within it. */
  async findRate(): Promise<void> {
    const { p99MaxMs } = this.#bounds;
    const best = this.#entered.contest.best();
    if (p99MaxMs === undefined || best === null) return;
    const tps = meanOf(this.#entered.contest.all().find(({ place }) => place === best)?.tps ?? [0]);
    this.#rate = null;
    for (const share of rateShares) {
      const rate = Math.max(1, Math.round(tps * share));
      if (!(await this.#keeps(p99MaxMs, atRate(this.#cellAt(best), rate)))) continue;
      this.#rate = rate;
      return;
    }
  }

  async #keeps(p99MaxMs: number, cell: Cell): Promise<boolean> {
    for (let trial = 0; trial < trialsOfRate; trial += 1) {
      if (this.#stage.signal.aborted) return false;
      const record = await this.#measure(cell);
      if (record.status !== 'ok' || numbersOf(record).p99Ms > p99MaxMs) return false;
    }
    return true;
  }

  /** The cells that the rounds measure: the best one or, if the search found none, those that show why. */
  cells(): readonly Cell[] {
    const { contest, cells } = this.#entered;
    const best = contest.best();
    if (best !== null) {
      const cell = this.#cellAt(best);
      return [cell, ...(typeof this.#rate === 'number' ? [atRate(cell, this.#rate)] : [])];
    }
    const measurable = cells.filter((cell) => this.#stage.lacking(cell) === null);
    if (measurable.length > 0) return measurable.slice(0, 1);
    return [...Map.groupBy(cells, ({ target }) => target).values()].flatMap(([first]) => first ?? []);
  }

  findings(): readonly Search[] {
    const { contest, cells, name, system } = this.#entered;
    const [best, peak] = [contest.best(), contest.peak()];
    const knee = this.#bounds.p99MaxMs === undefined ? contest.kneeRange() : null;
    return cells.map((cell): Search => {
      const tried = contest.all().filter(({ place }) => place.candidate.cell === cell.id);
      const isBest = best !== null && best.candidate.cell === cell.id;
      const isPeak = peak !== null && peak.candidate.cell === cell.id;
      const lacking = this.#stage.lacking(cell);
      const voids = this.#voids.get(cell.id) ?? 0;
      return {
        target: cell.target,
        client: cell.client,
        ...combinationOf(cell),
        durability:
          this.#stage.plan.targets.find(({ target }) => target === cell.target)?.durability ?? 'durable',
        contest: name,
        system,
        zone: this.#bounds.zone,
        ...(this.#bounds.p99MaxMs === undefined ? {} : { p99MaxMs: this.#bounds.p99MaxMs }),
        ...(lacking === null ? {} : { unavailable: lacking }),
        points: tried.map((one): Search['points'][number] => this.#pointOf(cell, one)),
        chosen: isBest ? loadOf(best) : null,
        ...(isBest && knee !== null ? { kneeInFlight: knee } : {}),
        ...(isPeak ? { peak: loadOf(peak) } : {}),
        ...(isBest && this.#rate !== undefined ? { rateWithinBound: this.#rate } : {}),
        edges: isPeak ? contest.edgesOf(peak) : [],
        ...(voids === 0 ? {} : { voidsMeasuredAgain: voids }),
      };
    });
  }

  describe(): string {
    const { contest, name, cells } = this.#entered;
    const [best, peak] = [contest.best(), contest.peak()];
    const tried = contest.all();
    if (best === null || peak === null) {
      const [reason] = cells.flatMap((cell) => this.#stage.lacking(cell) ?? []);
      return `${name}: ${tried.length === 0 ? `not searched${reason === undefined ? '' : `: ${reason}`}` : `none of ${tried.length} points passed`}`;
    }
    const edges = contest.edgesOf(peak);
    const at = edges.length === 0 ? '' : `, which is at the grid's edge in ${edges.join(' and ')}`;
    return `${name}: best ${this.#cellAt(best).id}, ${inFlightOf(best)} in flight; fastest at ${inFlightOf(peak)}${at}; ${tried.length} points, ${this.#trials} trials`;
  }

  async #measure(cell: Cell): Promise<TrialRecord> {
    const { plan } = this.#stage;
    const { windowMs } = this.#bounds;
    const windowMsMax = windowMs * lengthenedMax;
    this.#trials += 1;
    const record = await this.#stage.measure(
      { ...plan, timing: { ...plan.timing, windowMs, windowMsMax } },
      cell,
    );
    const own = this.#entered.cells.find(
      ({ target, client }) => target === cell.target && client === cell.client,
    );
    if (own !== undefined)
      this.#voids.set(own.id, (this.#voids.get(own.id) ?? 0) + voidsBefore(record).length);
    if (record.status !== 'ok') this.#reasons.set(cell.id, record.reason);
    return record;
  }

  #cellAt(place: Place): Cell {
    const cell = this.#entered.cells.find(({ id }) => id === place.candidate.cell);
    if (cell === undefined) throw new Error(`${place.candidate.cell}: not a cell of ${this.#entered.name}`);
    return atPoint(cell, loadOf(place));
  }

  #pointOf(
    cell: Cell,
    { place, tps, latencyMs, ci95 }: ReturnType<Contest['all']>[number],
  ): Search['points'][number] {
    const load = loadOf(place);
    if (tps.length === 0) {
      return { status: 'void', ...load, reason: this.#reasons.get(atPoint(cell, load).id) ?? '' };
    }
    return {
      status: 'ok',
      ...load,
      tps: geometricMean(tps),
      ...(ci95 === null ? {} : { ci95 }),
      tpsOfTrials: [...tps],
      p50Ms: geometricMean(latencyMs.map(({ p50Ms }) => p50Ms)),
      p99Ms: geometricMean(latencyMs.map(({ p99Ms }) => p99Ms)),
      trials: tps.length,
    };
  }
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(meanOf(values.map((value) => Math.log(Math.max(value, Number.EPSILON)))));
}

function numbersOf({ tps, result }: PassedTrial): { readonly tps: number } & Latency {
  const { p50 = 0, p99 = 0 } = latencySummaryMs(reportedLatency([result])) ?? {};
  return { tps, p50Ms: p50, p99Ms: p99 };
}

export function loadOf({ sessions, depth, poolSize }: Load): Load {
  return { sessions, depth, ...(poolSize === undefined ? {} : { poolSize }) };
}

export function candidateOf(cell: Cell, { targets }: RunPlan, { pools }: SearchBounds): Candidate {
  const route = targets.find(({ target }) => target === cell.target)?.connector ?? cell.target;
  return { cell: cell.id, route, client: cell.client, pools: cell.poolSize === undefined ? [] : pools };
}
