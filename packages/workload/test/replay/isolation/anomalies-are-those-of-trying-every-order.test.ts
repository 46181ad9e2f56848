import { expect, test } from 'vitest';
import { observe } from '../../../src/replay/isolation/observe.ts';
import { historyOf, type Made } from './histories.ts';

const objects = ['x', 'y', 'z'];
const histories = 4000;

type Version = readonly [number: number, writer: number | null];
type State = Readonly<Record<string, Version>>;
interface Ran {
  readonly operations: readonly Made[];
  readonly end: State;
}
const atFirst: State = Object.fromEntries(objects.map((object) => [object, [0, null] as const]));

/** The fewest histories of each kind that the generator must make of a store. */
test.each([
  ['serial', { strict: 1000, late: 0, none: 0 }],
  ['at once', { strict: 100, late: 0, none: 100 }],
  ['at commit', { strict: 100, late: 0, none: 100 }],
  ['of a snapshot', { strict: 100, late: 10, none: 100 }],
] as const)(
  'writes and reads %s: anomalies where no order explains the history, and of its definition',
  (store, least) => {
    const random = randomOf(store.length);
    const seen = { strict: 0, late: 0, none: 0 };
    for (let number = 0; number < histories; number += 1) {
      const ran = run(store, random);
      const { anomalies, mismatches } = observe(historyOf(ran.operations, ran.end));
      const { 'stale-read': stale, 'real-time': late, ...others } = anomalies;
      const isInvented = mismatches.some(({ count }) => count > 0);
      const isBroken = isInvented || Object.values(others).some((count) => count > 0);
      const order = isBroken ? 'none' : stale + late > 0 ? 'late' : 'strict';
      const shown = JSON.stringify(ran);
      expect(order, shown).toBe(hasOrder(ran, true) ? 'strict' : hasOrder(ran, false) ? 'late' : 'none');
      seen[order] += 1;
      // Where a version was replaced twice, or is not there, the order of versions is not defined by what was found.
      const { G0, G1c, 'G-single': single, 'G2-item': item } = anomalies;
      const isChain = anomalies['lost-update'] + anomalies.G1a + anomalies.G1b === 0 && !isInvented;
      const cycles = { writes: G0 > 0, flow: G0 + G1c > 0, single, item };
      expect(isChain ? cycles : null, shown).toEqual(isChain ? cyclesOf(ran.operations) : null);
    }
    expect(seen.strict).toBeGreaterThanOrEqual(least.strict);
    expect(seen.late).toBeGreaterThanOrEqual(least.late);
    expect(seen.none).toBeGreaterThanOrEqual(least.none);
  },
);

interface Running {
  readonly reads: readonly string[];
  readonly wrote: readonly string[];
  readonly found: Record<string, Version>;
  step: number;
  snapshot: State;
  sent: number;
  settled: number;
}

/** Runs a few operations, each two reads and up to three writes, in a random order of their steps. */
function run(store: string, random: (count: number) => number): Ran {
  const count = 3 + random(3);
  const rows: Record<string, Version> = { ...atFirst };
  const before: State[] = [{ ...rows }];
  const running = Array.from({ length: count }, (): Running => {
    const first = random(3);
    const reads = [objects[first] ?? '', objects[(first + 1 + random(2)) % 3] ?? ''];
    const wrote = [[], [reads[0] ?? ''], reads, [reads[0] ?? '', reads[0] ?? '']][random(4)] ?? [];
    return {
      reads,
      wrote,
      found: {},
      step: 0,
      snapshot: rows,
      sent: 0,
      settled: 0,
    };
  });
  const steps = ({ wrote }: { wrote: readonly string[] }): number => 3 + wrote.length;
  let now = 0;
  let turn = 0;
  for (let open = running.filter((one) => one.step < steps(one)); open.length > 0;) {
    const chosen = open[random(open.length)];
    const place = store === 'serial' ? turn : running.findIndex((each) => each === chosen);
    const one = running[place];
    if (one === undefined) break;
    now += 1;
    if (one.step === 0) {
      one.sent = now;
      // A snapshot may be older than the operation.
      one.snapshot = before[Math.max(0, before.length - 1 - random(3))] ?? rows;
    }
    const { step } = one;
    const source = store === 'of a snapshot' ? one.snapshot : rows;
    const read = one.reads[step];
    const isCommit = step === steps(one) - 1;
    if (read !== undefined) one.found[read] = source[read] ?? [0, null];
    else if (!isCommit && store !== 'at commit' && store !== 'of a snapshot') write(step - 2);
    if (isCommit) {
      if (store === 'at commit' || store === 'of a snapshot') one.wrote.forEach((_, nth) => write(nth));
      before.push({ ...rows });
      now += 1;
      one.settled = now;
      turn += 1;
    }
    one.step += 1;
    open = running.filter((each) => each.step < steps(each));

    function write(nth: number): void {
      const object = one?.wrote[nth] ?? '';
      const earlier = one?.wrote.slice(0, nth).filter((each) => each === object).length ?? 0;
      rows[object] = [(one?.found[object]?.[0] ?? 0) + earlier + 1, place];
    }
  }
  const operations = running.map(({ found, wrote, sent, settled }) => ({
    found,
    wrote,
    times: [sent, settled] as const,
  }));
  return { operations, end: rows };
}

/** Whether the operations, one after another in some order, find and leave what they did; `strict`: in an order of time. */
function hasOrder({ operations, end }: Ran, strict: boolean): boolean {
  const place = (left: readonly number[], rows: State): boolean => {
    if (left.length === 0) return objects.every((object) => same(rows[object], end[object]));
    return left.some((one) => {
      const { found = {}, wrote = [], times = [0, 0] } = operations[one] ?? {};
      const others = left.filter((other) => other !== one);
      if (strict && others.some((other) => (operations[other]?.times?.[1] ?? 0) < times[0])) return false;
      if (
        !Object.entries(found).every(
          ([object, version]) => Array.isArray(version) && same(rows[object], version),
        )
      ) {
        return false;
      }
      const after = { ...rows };
      for (const object of wrote) after[object] = [(after[object]?.[0] ?? 0) + 1, one];
      return place(others, after);
    });
  };
  return place([...operations.keys()], atFirst);
}

function same(a: readonly unknown[] | undefined, b: readonly unknown[] | undefined): boolean {
  return a?.[0] === b?.[0] && a?.[1] === b?.[1];
}

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly kind: 'ww' | 'wr' | 'rw';
}

/** By the definitions: dependencies of every pair of operations, and all cycles that meet no operation twice. */
function cyclesOf(operations: readonly Made[]) {
  const edges: Edge[] = operations.flatMap(({ found = {}, wrote = [] }, one) =>
    Object.entries(found).flatMap(([object, version]): Edge[] => {
      const writer = Array.isArray(version) ? version[1] : null;
      const replaces = wrote.includes(object);
      const source: Edge[] =
        typeof writer === 'number'
          ? [
              { from: writer, to: one, kind: 'wr' },
              ...(replaces ? [{ from: writer, to: one, kind: 'ww' } as const] : []),
            ]
          : [];
      if (replaces) return source;
      const next = operations.flatMap(({ found: others = {}, wrote: written = [] }, other): Edge[] => {
        const theirs = others[object];
        const isNext =
          other !== one && written.includes(object) && Array.isArray(theirs) && theirs[1] === writer;
        return isNext ? [{ from: one, to: other, kind: 'rw' }] : [];
      });
      return [...source, ...next];
    }),
  );
  const cycles = edges.flatMap((edge) => paths(edges, [edge]).map((path) => ({ edge, path })));
  const kindsOf = (path: readonly Edge[]): Set<string> => new Set(path.map(({ kind }) => kind));
  const isSingle = ({ path }: { path: readonly Edge[] }): boolean =>
    path.filter(({ kind }) => kind === 'rw').length === 1;
  const anti = edges.filter(({ kind }) => kind === 'rw');
  const closing = (one: Edge) => cycles.filter(({ edge }) => edge === one);
  const single = anti.filter((one) => closing(one).some(isSingle)).length;
  return {
    writes: cycles.some(({ path }) => kindsOf(path).size === 1 && kindsOf(path).has('ww')),
    flow: cycles.some(({ path }) => !kindsOf(path).has('rw')),
    single,
    item: anti.filter((one) => closing(one).length > 0).length - single,
  };
}

/** Every simple cycle that begins with these edges. */
function paths(edges: readonly Edge[], path: readonly Edge[]): (readonly Edge[])[] {
  const [first] = path;
  const last = path.at(-1);
  if (last?.to === first?.from) return [path];
  return edges
    .filter(
      ({ from, to }) => from === last?.to && (to === first?.from || !path.some((each) => each.from === to)),
    )
    .flatMap((edge) => paths(edges, [...path, edge]));
}

function randomOf(seed: number): (count: number) => number {
  let state = seed;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}
