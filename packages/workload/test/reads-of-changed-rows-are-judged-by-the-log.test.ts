import ycsb from '@fair-bench/workloads/ycsb';
import transfer from '@fair-bench/workloads/transfer';
import type { OperationOutcome, Row } from '@fair-bench/contract';
import { describe, expect, test } from 'vitest';
import {
  type ChangedRows,
  createSeededRows,
  createSlots,
  createStream,
  defaultParameters,
  drawChanged,
  wholeSpan,
  judgeChanged,
  OutcomeLog,
  outcomesOf,
  resolveWorkload,
  rowsChanged,
  rowsUnchanged,
  type SessionOutcomes,
  type Workload,
} from '../src/index.ts';
import { pointRead } from './paper.ts';

const sessions = 2;
const each = 600;
/** Between one operation of a session and the next; each takes half of it. */
const everyUs = 100;
const doneUs = (each / 2) * everyUs;
const workload = resolveWorkload(pointRead, { ...defaultParameters(pointRead), rows: 50 });
const changed = drawnOf(workload, 8);
const change = { from: 0, until: 8, doneUs };

const few = { count: 8, secret: 0 };

describe('rows to change', () => {
  test('are rows that the streams read, each with the value of another', () => {
    expect(changed.rows).toHaveLength(8);
    const [before, after] = [rowsUnchanged(workload, changed), rowsChanged(workload, changed)];
    before.forEach((row, place) => {
      expect(after[place]?.[0]).toBe(row[0]);
      expect(after[place]?.[changed.column]).not.toEqual(row[changed.column]);
    });
  });

  test('do not exist where operations may write every row that is read', () => {
    expect(
      drawChanged(resolveWorkload(transfer, defaultParameters(transfer)), wholeSpan(sessions), few),
    ).toBeNull();
  });

  test('exist in a table that is written by operations of no weight', () => {
    const all = resolveWorkload(ycsb, defaultParameters(ycsb));
    const reads = {
      ...all,
      operations: all.operations.map((one) => (one.writes ? { ...one, weight: 0 } : one)),
    };
    expect(drawChanged(reads, wholeSpan(sessions), few)?.rows).toHaveLength(8);
  });
});

describe('a read that was sent after the change of its row was acknowledged', () => {
  test('is fresh with the change', () => {
    const found = judgeChanged(workload, logsOf(honest), changed, [change]);
    expect(found.judged).toBeGreaterThan(10);
    expect(found).toMatchObject({ fresh: found.judged, staleMsMost: 0, problems: [] });
  });

  test('is stale without it, and named with its delay', () => {
    const logs = logsOf(() => false);
    const found = judgeChanged(workload, logs, changed, [change]);
    expect(found).toMatchObject({ fresh: 0, problems: expect.any(Array) });
    expect(found.judged).toBeGreaterThan(10);
    expect(found.staleMsMost).toBeGreaterThan((0.8 * (each / 2) * everyUs) / 1000);
    expect(found.problems[0]).toMatch(
      /^operation \d+ of session 0 was sent \d+\.\d ms after the change of row \(\d+\) was acknowledged, and returned what was there before$/,
    );
  });

  test('is the only one that is judged: those that a change may have overtaken are not', () => {
    const logs = logsOf((sentUs) => sentUs > doneUs + 50 * everyUs);
    const late = { ...change, doneUs: doneUs + 50 * everyUs };
    const { judged, fresh } = judgeChanged(workload, logs, changed, [late]);
    expect(fresh).toBe(judged);
    const sooner = judgeChanged(workload, logs, changed, [change]);
    expect(sooner.judged - sooner.fresh).toBeGreaterThan(0);
  });

  test('is not judged where the change was not acknowledged, or not made', () => {
    const logs = logsOf(() => false);
    expect(judgeChanged(workload, logs, changed, [{ ...change, doneUs: Infinity }]).judged).toBe(0);
    const first = judgeChanged(workload, logs, changed, [{ ...change, until: 1 }]).judged;
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(judgeChanged(workload, logs, changed, [change]).judged);
  });

  test('is not judged where its times did not fit into the log', () => {
    const logs = logsOf(honest, 4096);
    expect(logs.every(({ overflowed }) => !overflowed)).toBe(true);
    expect(judgeChanged(workload, logs, changed, [change]).judged).toBe(0);
  });

  test('that returned neither value is a mistake of its own, and its session is not judged', () => {
    const other = (row: Row): Row => row.with(changed.column, new Uint8Array(64));
    const logs = logsOf(honest, undefined, other);
    expect(logs.every(({ mistakesCount }) => mistakesCount > 0)).toBe(true);
    expect(judgeChanged(workload, logs, changed, [change]).judged).toBe(0);
  });
});

test('the change of another row is a mistake', () => {
  const [first, second] = changed.rows;
  const crossed = { ...changed, rows: [[first?.[0] ?? 0, second?.[1] ?? 0] as const] };
  const logs = logsOf(honest, undefined, undefined, crossed);
  expect(logs.some(({ mistakesCount }) => mistakesCount > 0)).toBe(true);
});

function honest(sentUs: number): boolean {
  return sentUs >= doneUs;
}

/** The logs of sessions whose reads have the change as `sees` says; `lie` alters what a changed row is. */
function logsOf(
  sees: (sentUs: number) => boolean,
  limitBytes?: number,
  lie: (row: Row) => Row = (row) => row,
  told: ChangedRows = changed,
): SessionOutcomes[] {
  const log = new OutcomeLog(workload, {
    sessions,
    changed: told,
    ...(limitBytes === undefined ? {} : { limitBytes }),
  });
  const after = new Map(rowsChanged(workload, changed).map((row) => [row[0], lie(row)]));
  const [table] = workload.tables;
  if (table === undefined) throw new Error('no table');
  const rowOf = createSeededRows(workload, table);
  const slots = createSlots(workload);
  for (let session = 0; session < sessions; session += 1) {
    const stream = createStream(workload, { session, sessions });
    const own = log.open(session);
    for (let sequence = 0; sequence < each; sequence += 1) {
      const operation = stream.next(slots);
      const values = slots[operation] ?? [];
      const sentUs = sequence * everyUs;
      const id = Number(values[0]);
      const row = (sees(sentUs) ? after.get(id) : undefined) ?? rowOf(id);
      const outcome: OperationOutcome = {
        kind: 'applied',
        reply: { kind: 'rows', rows: [row] },
        retries: 0,
      };
      own.settled(
        own.drawn(operation, [...values]),
        operation,
        values,
        outcome,
        sentUs,
        sentUs + everyUs / 2,
      );
    }
  }
  return outcomesOf(log.encode());
}

function drawnOf(of: Workload, count: number): ChangedRows {
  const drawn = drawChanged(of, wholeSpan(sessions), { count, secret: 0 });
  if (drawn === null) throw new Error('no rows to change');
  return drawn;
}
