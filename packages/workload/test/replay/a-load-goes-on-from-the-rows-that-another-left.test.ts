import type { Row } from '@fair-bench/contract';
import cart from '@fair-bench/workloads/cart';
import order from '@fair-bench/workloads/order';
import oltp from '@fair-bench/workloads/oltp';
import queue from '@fair-bench/workloads/queue';
import transfer from '@fair-bench/workloads/transfer';
import visits from '@fair-bench/workloads/visits';
import ycsb from '@fair-bench/workloads/ycsb';
import { describe, expect, test } from 'vitest';
import {
  defaultParameters,
  type MemoryStore,
  replayOutcomes,
  type ReplayResult,
  resolveWorkload,
  RowsLeft,
  whyNotContinued,
  type Workload,
  type WorkloadDescription,
} from '../../src/index.ts';
import { examplesOf, lying, pages, run, truth, acknowledged, type Bench, type Target } from './simulation.ts';

const slices = 3;
const sessions = 4;
const signal = new AbortController().signal;

interface Load {
  readonly description: WorkloadDescription;
  readonly parameters: Readonly<Record<string, number | string>>;
}

const loads: Readonly<Record<string, Load>> = {
  // Amounts that run out, so that declines depend on what was left.
  transfer: { description: transfer, parameters: { accounts: 30, initialBalance: '3000' } },
  order: { description: order, parameters: { items: 30, stock: '300' } },
  // Keys that are unique by their session.
  visits: { description: visits, parameters: { members: 30 } },
  // Texts that name their writers, half of them read.
  ycsb: { description: ycsb, parameters: { records: 30 } },
};

/** Loads one after the other on the same rows; `between` changes them after the first. Gives the findings of all. */
async function soaked(
  { description, parameters }: Load,
  between: (store: MemoryStore, workload: Workload) => void = () => undefined,
  target: (bench: Bench) => Target = truth,
): Promise<readonly ReplayResult[]> {
  const found: ReplayResult[] = [];
  let before: RowsLeft | undefined;
  let store: MemoryStore | undefined;
  for (let slice = 0; slice < slices; slice += 1) {
    const span = { first: slice * sessions, count: sessions, all: slices * sessions };
    const ran = await run(slice === 1 ? target : truth, {
      description,
      parameters,
      span,
      ...(store === undefined ? {} : { store }),
    });
    const workload = before === undefined ? ran.workload : { ...ran.workload, before };
    const left = new RowsLeft(ran.workload);
    const scan = async function* (table: number): AsyncGenerator<Row[]> {
      for await (const page of pages(ran.store, table, ran.liar)) {
        left.take(table, page);
        yield page;
      }
    };
    found.push(await replayOutcomes({ workload, logs: ran.logs, scan, signal }));
    [before, store] = [left, ran.store];
    if (slice === 0) between(ran.store, ran.workload);
  }
  return found;
}

const statuses = (found: readonly ReplayResult[]): readonly string[] => found.map(({ status }) => status);

describe.each(Object.keys(loads))('loads of %s, one after the other on the same rows', (name) => {
  const load = loads[name];
  if (load === undefined) throw new Error(name);

  test('are explained, each from what the one before left', async () => {
    const found = await soaked(load);
    expect(found.map(examplesOf)).toEqual(['', '', '']);
    expect(statuses(found)).toEqual(['passed', 'passed', 'passed']);
  });

  test('are not explained from the seeded rows', async () => {
    const { workload, store, logs, liar } = await run(truth, {
      ...load,
      span: { first: 4, count: 4, all: 8 },
      store: (await run(truth, { ...load, span: { first: 0, count: 4, all: 8 } })).store,
    });
    const found = await replayOutcomes({
      workload,
      logs,
      scan: (table) => pages(store, table, liar),
      signal,
    });
    expect(found.status).toBe('failed');
  });
});

describe('rows that changed after a load had ended', () => {
  test('are seen by the next one where operations change them', async () => {
    const found = await soaked(loads['transfer'] ?? never(), (store) =>
      store.put(0, [7, 1n, 0n].slice(0, 2)),
    );
    expect(statuses(found)).toEqual(['passed', 'failed', 'passed']);
  });

  const inserted = loads['order'] ?? never();
  const orders = 1;

  test.each<[string, (store: MemoryStore, row: Row) => void]>([
    ['lost', (store, row) => store.remove(orders, row.slice(0, 1))],
    ['altered', (store, row) => store.put(orders, [...row.slice(0, -1), 77n])],
    ['invented', (store, row) => store.put(orders, [-5n, ...row.slice(1)])],
  ])('are seen by the next one where it inserted them: a row %s', async (_, change) => {
    const found = await soaked(inserted, (store) => {
      const [row] = store.rows(orders);
      change(
        store,
        (row ?? never()).map((value) => value ?? 0n),
      );
    });
    expect(statuses(found)).toEqual(['passed', 'failed', 'passed']);
    expect(examplesOf(found[1] ?? never())).toContain(
      'rows of orders that were there before the load changed',
    );
  });
});

test('a write that is lost in a later load is seen in that one alone', async () => {
  const found = await soaked(
    loads['transfer'] ?? never(),
    undefined,
    lying('transfer', 50, () => acknowledged),
  );
  expect(statuses(found)).toEqual(['passed', 'failed', 'passed']);
});

test.each<[string, WorkloadDescription, RegExp]>([
  ['queue', queue, /deletes rows/],
  ['cart', cart, /inserts rows where they are missing/],
  ['oltp', oltp, /deletes rows/],
])('no load of %s can go on: the reason is named', (_, description, reason) => {
  expect(whyNotContinued(resolveWorkload(description, defaultParameters(description)))).toMatch(reason);
});

test('a load of operations in code cannot go on', async () => {
  const { default: points } = await import('@fair-bench/workloads/points');
  expect(whyNotContinued(resolveWorkload(points, defaultParameters(points)))).toBe(
    'its operations are in code',
  );
});

function never(): never {
  throw new Error('not there');
}
