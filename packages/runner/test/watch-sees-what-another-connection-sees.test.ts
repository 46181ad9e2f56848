import { type LastWriters, type Observer, type Row, rowObserver } from '@fair-bench/contract';
import type { ClientEvent } from '@fair-bench/results';
import {
  add,
  type Canary,
  defineWorkload,
  int64,
  key,
  resolveWorkload,
  row,
  table,
  uniform,
} from '@fair-bench/workload';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Watch } from '../src/measure/watch.ts';

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'hrtime'],
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Nothing writes its second table. */
const workloadOf = (rows: number) =>
  resolveWorkload(
    defineWorkload({
      name: 'watched',
      parameters: {},
      tables: {
        note: table({ rows, key: 'id', columns: { level: int64(0), text: int64(0) } }),
        fixed: table({ rows: 10_000, key: 'id', columns: { level: int64(0) } }),
      },
      operations: {
        raise: {
          arguments: { id: key('note', uniform()) },
          rows: { n: row('note', 'id') },
          effects: [add('n.level', 1)],
        },
      },
    }),
    { seed: '1' },
  );
/** Expects two rows of the first table; the server chooses the last column of the second one. */
const canary: Canary = {
  operation: 0,
  values: [],
  seeded: [],
  expected: [
    { table: 0, row: [8, 5n, Uint8Array.of(1, 2)] },
    { table: 0, row: [9, 6n, null] },
  ],
};
const rows: readonly Row[] = [
  [8, 5n, Uint8Array.of(1, 2)],
  [9, 6n, 7n],
];

/** A double of a system's observer. */
const doubleOf = (parts: Partial<Observer> = {}): Observer => ({
  ...rowObserver({ read: () => Promise.resolve(rows) }, new AbortController().signal),
  ...parts,
});
const watching = async (parts: Partial<Observer>, rowsOfNote = 3): Promise<Watch> =>
  await Watch.open(
    { observe: () => Promise.resolve(doubleOf(parts)) },
    workloadOf(rowsOfNote),
    { canaries: [canary], watched: [], changed: null, touched: new Set() },
    new AbortController().signal,
  );
const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;
const after = async (ms: number): Promise<unknown> => await vi.advanceTimersByTimeAsync(ms);

describe('a canary', () => {
  type Outcome = Extract<ClientEvent, { type: 'canary' }>['outcome'];
  const found = (...changed: Row[]) => ({ read: () => Promise.resolve(changed) });
  const [first = [], second = []] = rows;

  test.each<[string, Partial<Observer>, Outcome, number[], RegExp]>([
    ['is visible where its rows are as expected', {}, 'applied', [1, 1, 1, 0], /^$/],
    ['is visible in any order of its rows', found(second, first), 'applied', [1, 1, 1, 0], /^$/],
    ['is not visible without its rows', found(), 'applied', [1, 1, 0, 0], /did not find .* \(8, 5,/],
    ['is not visible without one of them', found(first), 'applied', [1, 1, 0, 0], /did not find .* \(9, 6,/],
    [
      'is not visible in another value',
      found([8, 4n, Uint8Array.of(1, 2)], second),
      'applied',
      [1, 1, 0, 0],
      /did not/,
    ],
    [
      'is not visible in other bytes',
      found([8, 5n, Uint8Array.of(1, 3)], second),
      'applied',
      [1, 1, 0, 0],
      /did not/,
    ],
    [
      'that could not be read is not among those read',
      { read: () => Promise.reject(new Error('gone')) },
      'applied',
      [1, 0, 0, 0],
      /could not be read: gone/,
    ],
    ['that was declined is looked for by nobody', found(), 'declined', [0, 0, 0, 1], /^$/],
    ['that ended in a fault is looked for by nobody', found(), 'fault', [0, 0, 0, 0], /^$/],
  ])('%s', async (_, parts, outcome, counts, problem) => {
    await using watch = await watching(parts);
    watch.canary({ type: 'canary', number: 0, outcome, atMs: nowMs() });
    watch.canary({ type: 'canary', number: 1, outcome: 'applied', atMs: nowMs() });
    const { canaries } = await watch.observed();
    expect(canaries).toMatchObject({ planned: 1 });
    const { applied, read, visible, declined, problems = [] } = canaries ?? {};
    expect([applied, read, visible, declined]).toEqual(counts);
    expect(problems.join()).toMatch(problem);
  });

  test('is read so long after it was acknowledged, where the clocks are of one machine', async () => {
    await using other = await watching({});
    other.canary({ type: 'canary', number: 0, outcome: 'applied', atMs: nowMs() + 5 });
    expect((await other.observed()).canaries).toMatchObject({ read: 1, readAfterMsMax: null });
    await using watch = await watching({});
    for (const aheadMs of [-4, -7, -2, 5, -10_000]) {
      watch.canary({ type: 'canary', number: 0, outcome: 'applied', atMs: nowMs() + aheadMs });
    }
    const { canaries } = await watch.observed();
    expect(canaries?.readAfterMsMax).toBeCloseTo(7, 3);
  });
});

describe('what is committed', () => {
  test('is counted from before the load, at the edges of the window and in it, in at most 2 % of the time', async () => {
    let count = 100;
    const readMs = 10;
    const committed = async (): Promise<number> => {
      await new Promise((resolve) => setTimeout(resolve, readMs));
      return (count += 10);
    };
    const opened = watching({ committed });
    await after(readMs);
    await using watch = await opened;
    watch.phase('warmup');
    await after(1_000);
    const beginMs = nowMs();
    watch.phase('window');
    await after(2_000);
    watch.phase('drain');
    await after(2_000);
    const observed = await watch.observed();
    expect(observed.committedAtWindowBegin).toEqual({ count: 10, readMs });
    // The first after 47 ms; each took 10 ms, so that the next one waits for 500.
    const times = watch.committed().map(({ atMs }) => Math.round(atMs - beginMs));
    expect(times).toEqual([47, 557, 1067, 1577]);
    expect(watch.committed().map((one) => one.count)).toEqual([20, 30, 40, 50]);
    expect(observed.committedAtWindowEnd).toEqual({ count: 60, readMs });
  });

  test('is missing from when the runner heard that the window began', async () => {
    await using watch = await watching({ committed: () => Promise.resolve(0) });
    const heardMs = nowMs();
    await after(90);
    watch.phase('window', heardMs);
    expect((await watch.observed()).committedAtWindowBegin?.readMs).toBe(90);
  });

  test('is counted when the window must have ended, by what was ordered, and not by when the load client says that it has', async () => {
    let count = 0;
    const counting = { committed: () => Promise.resolve(count) };
    const endOf = async (orderedMs: number | null, drainMs: number) => {
      count = 0;
      await using watch = await watching(counting);
      if (orderedMs !== null) watch.windowOrdered(orderedMs);
      watch.phase('window');
      await after(orderedMs ?? drainMs);
      count = 5;
      await after(1);
      count = 9;
      await after(drainMs - (orderedMs ?? drainMs));
      watch.phase('drain');
      const { committedAtOrderedEnd, committedAtWindowEnd } = await watch.observed();
      return [committedAtOrderedEnd?.count ?? null, committedAtWindowEnd?.count];
    };
    expect(await endOf(700, 760)).toEqual([5, 9]);
    // Whoever hears it earlier need not wait.
    expect(await endOf(700, 700)).toEqual([5, 9]);
    // Elsewhere nobody says it before.
    expect(await endOf(null, 700)).toEqual([null, 9]);
  });

  test('is read every 47 ms; a system without such a count is not observed', async () => {
    const reads = async (parts: Partial<Observer>) => {
      await using watch = await watching(parts);
      watch.phase('window');
      await after(470);
      watch.phase('drain');
      const { committedAtWindowBegin, committedAtWindowEnd } = await watch.observed();
      return [
        watch.committed().length,
        committedAtWindowBegin?.count ?? null,
        committedAtWindowEnd?.count ?? null,
      ];
    };
    expect(await reads({ committed: () => Promise.resolve(7) })).toEqual([10, 0, 0]);
    expect(await reads({})).toEqual([0, null, null]);
  });
});

describe('settings', () => {
  test('are compared reading by reading, and one that fails says nothing', async () => {
    const readings: (Record<string, string> | null)[] = [
      { fsync: 'on', level: '1' },
      { fsync: 'on', level: '1' },
      { fsync: 'off', level: '1' },
      null,
      { fsync: 'on' },
    ];
    const settings = async (): Promise<Record<string, string>> => {
      const next = readings.length > 1 ? readings.shift() : readings[0];
      return next === null || next === undefined ? await Promise.reject(new Error('busy')) : next;
    };
    await using watch = await watching({ settings });
    watch.phase('warmup');
    await after(1_000);
    expect((await watch.observed()).settings).toEqual({
      readings: 5,
      first: { fsync: 'on', level: '1' },
      changes: ['fsync: on → off', 'fsync: off → on', 'level: 1 → nothing'],
    });
  });

  test('must be read after the load; a system without them is not observed', async () => {
    let fails = false;
    const settings = async () => await (fails ? Promise.reject(new Error('gone')) : Promise.resolve({}));
    await using watch = await watching({ settings });
    fails = true;
    await expect(watch.observed()).rejects.toThrow('gone');
    await using other = await watching({});
    expect((await other.observed()).settings).toBeNull();
  });
});

describe('looks for unflushed commits', () => {
  test('are taken every 100 ms, one at a time; one that fails says nothing', async () => {
    let looks = 0;
    const unflushed = async (): Promise<string | null> => {
      looks += 1;
      const number = looks;
      // The second takes as long as three.
      if (number === 2) await new Promise((resolve) => setTimeout(resolve, 250));
      if (number === 3) throw new Error('busy');
      return number % 2 === 0 ? `commit ${number}` : null;
    };
    await using watch = await watching({ unflushed });
    watch.phase('warmup');
    await after(650);
    expect(looks).toBe(4);
    expect((await watch.observed()).unflushed).toEqual({ looks: 3, found: ['commit 2', 'commit 4'] });
    await after(500);
    expect(looks).toBe(4);
  });

  test('are not observed before the first', async () => {
    await using watch = await watching({ unflushed: () => Promise.resolve(null) });
    watch.phase('warmup');
    await after(99);
    expect((await watch.observed()).unflushed).toBeNull();
  });
});

describe('the last writers of rows', () => {
  const writers = (parts: Partial<LastWriters>): Partial<Observer> => ({
    lastWriters: { rowsMost: () => Promise.resolve([1, 9]), subtransactionsMost: null, ...parts },
  });
  // A look comes 90 ms after the one before.
  beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0.4));

  test('are read in at most 0.5 % of the time, and after the load; the most of all readings counts', async () => {
    const beginMs = nowMs();
    const times: number[] = [];
    const rowsMost = async (): Promise<number[]> => {
      times.push(Math.round(nowMs() - beginMs));
      await new Promise((resolve) => setTimeout(resolve, 2));
      return [[3, 5, 2, 1][times.length - 1] ?? 0, 9];
    };
    await using watch = await watching(writers({ rowsMost }));
    watch.phase('warmup');
    await after(1_000);
    const observed = watch.observed();
    await after(500);
    // The first took until 92, and the next one waits until 492.
    expect(times).toEqual([90, 542, 994, 1_000]);
    expect((await observed).lastWriters).toEqual({
      readings: 4,
      subtransactionsMost: null,
      tables: [{ name: 'note', rowsMost: 5, rowsOfOperationMax: 1 }],
    });
  });

  test.each([
    [10_000, 2],
    [10_001, 1],
  ])('of %d rows that operations write are read %d times', async (rowsOfNote, readings) => {
    await using watch = await watching(writers({}), rowsOfNote);
    watch.phase('warmup');
    await after(90);
    expect((await watch.observed()).lastWriters).toMatchObject({ readings });
  });

  test('had at most so many subtransactions', async () => {
    const found = [2, 7, 4];
    const subtransactionsMost = () => Promise.resolve(found.shift() ?? 0);
    await using watch = await watching(writers({ subtransactionsMost }));
    watch.phase('warmup');
    await after(450);
    expect(found).toEqual([]);
    expect((await watch.observed()).lastWriters).toMatchObject({ subtransactionsMost: 7 });
  });

  test('must be read after the load; a system without them is not observed', async () => {
    await using watch = await watching(writers({ rowsMost: () => Promise.reject(new Error('gone')) }));
    await expect(watch.observed()).rejects.toThrow('gone');
    await using other = await watching({});
    expect((await other.observed()).lastWriters).toBeNull();
  });
});
