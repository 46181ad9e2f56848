import { byRole, overRoles } from '@fair-bench/contract';
import {
  type Cell,
  isPassed,
  meanOf,
  medianOf,
  type RunPlan,
  type SoakPoint,
  type SoakSample,
  type SoakSlice,
  type SoakSlope,
  type SoakSummary,
  sum,
  type TrialRecord,
} from '@fair-bench/results';
import { theilSen } from './theil-sen.ts';

const pointsMax = 300;
/** A trend has so many points at most: every pair of them counts. */
const trendPointsMax = 60;
const trendSecondsMin = 5;
/** Work in the background is charged with what follows it for so long. */
const eventSeconds = 10;
/** Without this share of seconds that follow no such work there is nothing to compare with. */
const calmShareMin = 0.25;

type PassedSlice = SoakSlice & { readonly startedMs: number };

/** A second under load, by the clock on the wall from the first operation of the cell. */
interface Second {
  readonly atS: number;
  readonly applied: number;
  readonly p50: number | null;
  readonly p99: number | null;
}

/** How each cell kept its throughput. Pure. */
export function summarizeSoak({ soak, cells }: RunPlan, trials: readonly TrialRecord[]): SoakSummary[] {
  if (soak === undefined) return [];
  return cells.flatMap((cell) => {
    const own = trials.filter(({ cellId }) => cellId === cell.id);
    return own.length === 0 ? [] : [summarizeCell(cell, own)];
  });
}

function summarizeCell(cell: Cell, own: readonly TrialRecord[]): SoakSummary {
  const passed = own
    .filter(isPassed)
    .flatMap(({ soak, result: { timing } }) =>
      soak === undefined ? [] : [{ ...soak, startedMs: Date.parse(timing.startedAt) }],
    );
  const count = (status: TrialRecord['status']): number => own.filter((one) => one.status === status).length;
  const reasons = own.flatMap((one) => (one.status === 'void' ? [one.reason] : []));
  const seeded = passed.filter((slice) => slice.seeded && slice.slice > 0);
  const course = new Course(passed);
  return {
    cellId: cell.id,
    target: cell.target,
    slices: { passed: passed.length, void: count('void'), interrupted: count('interrupted') },
    reasons: [...new Set(reasons)],
    seededAgain: seeded.length,
    found: course.found(),
    points: course.points(),
    marks: course.marks(),
  };
}

class Course {
  readonly #slices: readonly PassedSlice[];
  readonly #startedMs: number;
  readonly #seconds: readonly Second[];
  /** Background work, where the system says what it does. */
  readonly #work: readonly { readonly atS: number; readonly name: string; readonly count: number }[];

  constructor(slices: readonly PassedSlice[]) {
    this.#slices = slices.toSorted((a, b) => a.startedMs - b.startedMs);
    this.#startedMs = this.#slices[0]?.startedMs ?? 0;
    this.#seconds = this.#slices.flatMap((slice) =>
      slice.seconds.map(({ second, applied, latencyMs }) => ({
        atS: this.#at(slice, 1_000 * second),
        applied,
        p50: latencyMs?.p50 ?? null,
        p99: latencyMs?.p99 ?? null,
      })),
    );
    this.#work = this.#slices.flatMap((slice) =>
      (slice.events ?? []).map(({ atMs, name, count }) => ({ atS: this.#at(slice, atMs), name, count })),
    );
  }

  found(): SoakSummary['found'] {
    const [first] = this.#seconds;
    const last = this.#seconds.at(-1);
    if (first === undefined || last === undefined) return null;
    const seconds = this.#seconds;
    const tpsMedian = medianOf(seconds.map(({ applied }) => applied));
    const worst = seconds.reduce((a, b) => (b.applied < a.applied ? b : a));
    const p99s = seconds.flatMap(({ p99 }) => p99 ?? []);
    const silences = this.#slices.map((slice) => ({
      atS: this.#at(slice, slice.silence.atMs),
      ms: slice.silence.ms,
    }));
    return {
      lastedS: last.atS + 1,
      loadedS: seconds.length,
      applied: sum(seconds.map(({ applied }) => applied)),
      faults: sum(this.#slices.flatMap((slice) => slice.seconds.map(({ faults }) => faults))),
      tpsMedian,
      worst: { atS: worst.atS, tps: worst.applied },
      p99MsMedian: p99s.length === 0 ? null : medianOf(p99s),
      silence: silences.reduce((a, b) => (b.ms > a.ms ? b : a), { atS: 0, ms: 0 }),
      drift: tpsMedian === 0 ? null : shareOf(this.#drift(), tpsMedian),
      memoryMb: this.#slope(memoryOf),
      filesMb: this.#slope(({ filesBytes }) => (filesBytes === null ? null : filesBytes / 2 ** 20)),
      events: this.#events(),
    };
  }

  /** The slope of throughput, by neighbouring seconds together. */
  #drift(): SoakSlope {
    const each = Math.max(trendSecondsMin, Math.ceil(this.#seconds.length / trendPointsMax));
    const groups = inGroups(this.#seconds, each).filter(({ length }) => length === each);
    return theilSen(
      groups.map((group) => ({
        x: meanOf(group.map(({ atS }) => atS)) / 3_600,
        y: meanOf(group.map(({ applied }) => applied)),
      })),
    );
  }

  #slope(valueOf: (sample: SoakSample) => number | null): SoakSlope {
    const points = this.#slices.flatMap((slice) =>
      slice.samples.flatMap((sample) => {
        const y = valueOf(sample);
        return y === null ? [] : [{ x: this.#at(slice, sample.atMs) / 3_600, y }];
      }),
    );
    return theilSen(thinned(points, trendPointsMax));
  }

  #events(): NonNullable<SoakSummary['found']>['events'] {
    if (this.#slices.some(({ events }) => events === null)) return null;
    return [...Map.groupBy(this.#work, ({ name }) => name)].map(([name, own]) => ({
      name,
      count: sum(own.map(({ count }) => count)),
      cost: this.#costOf(own.map(({ atS }) => atS)),
    }));
  }

  /** The seconds from a moment before each event on, against all others. */
  #costOf(times: readonly number[]) {
    const after = this.#seconds.filter(({ atS }) =>
      times.some((time) => atS >= time - 1 && atS < time + eventSeconds),
    );
    const charged = new Set(after);
    const calm = this.#seconds.filter((second) => !charged.has(second));
    if (after.length === 0 || calm.length < calmShareMin * this.#seconds.length) return null;
    const tpsOf = (seconds: readonly Second[]): number => meanOf(seconds.map(({ applied }) => applied));
    const p99Of = (seconds: readonly Second[]): number | null => {
      const all = seconds.flatMap(({ p99 }) => p99 ?? []);
      return all.length === 0 ? null : medianOf(all);
    };
    const [afterP99, calmP99] = [p99Of(after), p99Of(calm)];
    const calmTps = tpsOf(calm);
    if (calmTps === 0) return null;
    return {
      tpsRatio: tpsOf(after) / calmTps,
      p99Ratio: afterP99 === null || calmP99 === null || calmP99 === 0 ? null : afterP99 / calmP99,
    };
  }

  points(): SoakPoint[] {
    const last = this.#seconds.at(-1);
    if (last === undefined) return [];
    const lengthS = Math.max(1, Math.ceil((last.atS + 1) / pointsMax));
    const placeOf = ({ atS }: { readonly atS: number }): number => Math.floor(atS / lengthS);
    const seconds = Map.groupBy(this.#seconds, placeOf);
    const samples = Map.groupBy(this.#samples(), placeOf);
    return [...seconds].map(([place, own]): SoakPoint => {
      const [p50s, p99s] = [own.flatMap(({ p50 }) => p50 ?? []), own.flatMap(({ p99 }) => p99 ?? [])];
      const seen = samples.get(place) ?? [];
      const busy = seen.flatMap(({ cpu }) => cpu ?? []);
      return {
        atS: place * lengthS,
        lengthS,
        tps: meanOf(own.map(({ applied }) => applied)),
        tpsLeast: Math.min(...own.map(({ applied }) => applied)),
        p50Ms: p50s.length === 0 ? null : medianOf(p50s),
        p99Ms: p99s.length === 0 ? null : Math.max(...p99s),
        cpu: busy.length === 0 ? null : meanByPart(busy),
        rssMb: seen.findLast(({ rssMb }) => rssMb !== null)?.rssMb ?? null,
        filesMb: seen.findLast(({ filesMb }) => filesMb !== null)?.filesMb ?? null,
      };
    });
  }

  /** Processors between one sample and the next of its slice. */
  #samples() {
    return this.#slices.flatMap((slice) =>
      slice.samples.map(({ atMs, cpuUs, rssMb, filesBytes }, place) => {
        const before = slice.samples[place - 1];
        return {
          atS: this.#at(slice, atMs),
          cpu: before === undefined ? null : busyBetween(before, { atMs, cpuUs }),
          rssMb,
          filesMb: filesBytes === null ? null : filesBytes / 2 ** 20,
        };
      }),
    );
  }

  marks(): SoakSummary['marks'] {
    return this.#work.map(({ atS, name }) => ({ atS, name }));
  }

  #at({ startedMs }: PassedSlice, atMs: number): number {
    return (startedMs - this.#startedMs + atMs) / 1_000;
  }
}

type ByPart = NonNullable<SoakSample['rssMb']>;

function mapParts(of: (part: keyof ByPart) => number | null): ByPart {
  return { client: of('client') ?? 0, ...byRole(of) };
}

function busyBetween(
  before: Pick<SoakSample, 'atMs' | 'cpuUs'>,
  after: Pick<SoakSample, 'atMs' | 'cpuUs'>,
): ByPart {
  const us = 1_000 * (after.atMs - before.atMs);
  return mapParts((part) => {
    const [from, to] = [before.cpuUs[part], after.cpuUs[part]];
    // A smaller value: a process ended, and its time was lost.
    return from === null || to === null || us <= 0 ? null : Math.max(0, to - from) / us;
  });
}

function meanByPart(all: readonly ByPart[]): ByPart {
  return mapParts((part) => {
    const own = all.flatMap((one) => one[part] ?? []);
    return own.length === 0 ? null : meanOf(own);
  });
}

/** The memory of the target's servers; where there is none, of the process that has the engine. */
function memoryOf({ rssMb }: SoakSample): number | null {
  return rssMb === null ? null : (overRoles(rssMb) ?? rssMb.client);
}

function shareOf(slope: SoakSlope, whole: number): SoakSlope {
  if (slope === null) return null;
  const [low, high] = slope.ci95;
  return { perHour: slope.perHour / whole, ci95: [low / whole, high / whole] };
}

function inGroups<One>(all: readonly One[], each: number): One[][] {
  return Array.from({ length: Math.ceil(all.length / each) }, (_, place) =>
    all.slice(place * each, (place + 1) * each),
  );
}

/** About so many of them, evenly. */
function thinned<One>(all: readonly One[], most: number): One[] {
  const each = Math.max(1, Math.ceil(all.length / most));
  return all.filter((_one, place) => place % each === 0);
}
