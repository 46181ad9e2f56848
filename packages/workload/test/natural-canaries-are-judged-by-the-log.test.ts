import transfer from '@fair-bench/workloads/transfer';
import { applied, type Row, type Value } from '@fair-bench/contract';
import { describe, expect, test } from 'vitest';
import {
  createSlots,
  createStream,
  defaultParameters,
  drawWatched,
  wholeSpan,
  type DrawnMark,
  judgeWatched,
  MemoryStore,
  Model,
  OutcomeLog,
  outcomesOf,
  resolveWorkload,
  createSeededRows,
  type WatchedOperation,
  type WatchedReading,
} from '../src/index.ts';
import { pointRead } from './paper.ts';

const sessions = 4;
const each = 400;
const withinMs = 10;
const workload = resolveWorkload(transfer, { ...defaultParameters(transfer), accounts: 2000 });
const trial = trialOf();

describe('natural canaries', () => {
  test('are operations of the streams, with rows that nobody writes near them', () => {
    const watched = drawWatched(workload, wholeSpan(sessions), 0);
    expect(watched.length).toBeGreaterThan(20);
    const writers = new Map<string, { session: number; sequence: number }[]>();
    for (const drawn of trial) {
      for (const row of drawn.keys) writers.set(row, [...(writers.get(row) ?? []), drawn]);
    }
    const near = watched.filter(({ sequence }) => sequence < each / 2);
    for (const { session, sequence, rows } of near) {
      for (const { key } of rows) {
        const all = writers.get(key.join(' ')) ?? [];
        expect(all).toContainEqual(expect.objectContaining({ session, sequence }));
        const others = all.filter((one) => one.session !== session || one.sequence !== sequence);
        expect(others.every((one) => one.sequence > sequence * 1.25 + 200)).toBe(true);
      }
    }
  });

  test('are others for another secret: whoever knows the streams does not know them', () => {
    const wide = resolveWorkload(transfer, { ...defaultParameters(transfer), accounts: 1_000_000 });
    const names = (secret: number) =>
      new Set(
        drawWatched(wide, wholeSpan(50), secret)
          // The first few operations of a session are always watched.
          .filter(({ sequence }) => sequence > 100)
          .map((one) => `${one.session} ${one.sequence}`),
      );
    const [one, other] = [names(0), names(0x9e37_79b9)];
    expect(names(0)).toEqual(one);
    const both = one.intersection(other).size;
    expect(one.size).toBeGreaterThan(20);
    expect(both).toBeLessThan(0.5 * one.size);
  });

  test('do not exist where nothing is written', () => {
    const reads = resolveWorkload(pointRead, defaultParameters(pointRead));
    expect(drawWatched(reads, wholeSpan(sessions), 0)).toEqual([]);
  });
});

describe('a reading right after an acknowledgement', () => {
  test('that found exactly the effect is visible', () => {
    const [reading] = readings((after) => after);
    expect(judge([reading])).toMatchObject({ judged: 1, visible: 1, problems: [] });
  });

  test('that found the row as it was seeded is named, with its delay', () => {
    const [reading] = readings((_after, before) => before);
    const { judged, visible, problems } = judge([reading]);
    expect({ judged, visible }).toEqual({ judged: 1, visible: 0 });
    expect(problems[0]).toMatch(
      /^operation \d+ of session \d was acknowledged as applied, and a reading answered 2\.0 ms later did not find its effect in account \(\d+\)$/,
    );
  });

  test('that was answered late does not count with the effect, and counts without', () => {
    for (const afterMs of [withinMs, null]) {
      const [seen] = readings((after) => after).map((one) => ({ ...one, afterMs }));
      expect(judge([seen])).toMatchObject({ judged: 0, visible: 0, late: 1, problems: [] });
      const [unseen] = readings(() => null).map((one) => ({ ...one, afterMs }));
      expect(judge([unseen])).toMatchObject({ judged: 1, visible: 0, late: 0 });
    }
  });

  test('that found no row is named', () => {
    const [reading] = readings(() => null);
    expect(judge([reading])).toMatchObject({ judged: 1, visible: 0 });
  });

  test('is not judged where another operation wrote the row and nobody knows when', () => {
    const reading = touched();
    expect(judge([reading], []).judged).toBe(0);
  });

  test('is judged once no session had drawn the other operation by a moment after it', () => {
    const reading = touched();
    const mark = { atUs: reading.endUs, sessions: [0, sessions - 1], drawnMost: 0 } as const;
    expect(judge([reading], [mark]).judged).toBe(1);
    expect(judge([reading], [{ ...mark, atUs: reading.endUs - 1 }]).judged).toBe(0);
    expect(judge([reading], [{ ...mark, sessions: [sessions, sessions] }]).judged).toBe(0);
    expect(judge([reading], [{ ...mark, drawnMost: each }]).judged).toBe(0);
  });
});

interface Drawn {
  readonly session: number;
  readonly sequence: number;
  readonly operation: number;
  readonly values: Value[];
  /** Of the accounts that it writes. */
  readonly keys: readonly string[];
}

/** Every operation of the trial; a transfer writes the accounts of its first two arguments. */
function trialOf(): Drawn[] {
  return Array.from({ length: sessions }, (_, session) => {
    const stream = createStream(workload, { session, sessions });
    const slots = createSlots(workload);
    return Array.from({ length: each }, (__, sequence): Drawn => {
      const operation = stream.next(slots);
      const values = structuredClone(slots[operation] ?? []);
      return { session, sequence, operation, values, keys: values.slice(0, 2).map(Number).map(String) };
    });
  }).flat();
}

/** Of a trial in which everything was applied. */
function logs() {
  const log = new OutcomeLog(workload, { sessions });
  const opened = Array.from({ length: sessions }, (_, session) => log.open(session));
  for (const { session, sequence, operation, values } of trial) {
    opened[session]?.drawn(operation, values);
    opened[session]?.settled(sequence, operation, values, applied, 0, 1);
  }
  return outcomesOf(log.encode());
}

function judge(all: readonly (WatchedReading | undefined)[], marks?: readonly DrawnMark[]) {
  const known = all.flatMap((one) => one ?? []);
  expect(known).toHaveLength(all.length);
  return judgeWatched(workload, logs(), {
    readings: known,
    marks: marks ?? [everythingLater(known)],
    withinMs,
  });
}

/** After the readings, nobody has drawn anything but the first operations. */
function everythingLater(all: readonly WatchedReading[]): DrawnMark {
  return { atUs: Math.max(...all.map(({ endUs }) => endUs)), sessions: [0, sessions - 1], drawnMost: 0 };
}

/** What `found` makes of an account after and before the operation, for a natural canary of the trial. */
function readings(found: (after: Row, before: Row) => Row | null): WatchedReading[] {
  return drawWatched(workload, wholeSpan(sessions), 0)
    .filter(({ sequence }) => sequence > 0 && sequence < each)
    .slice(0, 1)
    .map((watched) => readingOf(watched, found));
}

function readingOf(
  { session, sequence, rows }: WatchedOperation,
  found: (after: Row, before: Row) => Row | null,
): WatchedReading {
  const own = trial.find((one) => one.session === session && one.sequence === sequence);
  if (own === undefined) throw new Error('the trial has no such operation');
  const store = new MemoryStore(workload.tables.map(({ keyColumns }) => keyColumns));
  const seeded = createSeededRows(workload, present(workload.tables[0]));
  for (let number = 0; number < 2000; number += 1) store.put(0, seeded(number));
  new Model(workload, store).execute(own.operation, own.values);
  return {
    session,
    sequence,
    rows: rows.map(({ table, key }) => {
      const after = present(store.get(table, key) ?? undefined).map((value) => value ?? 0);
      return { table, key, found: found(after, seeded(Number(key[0]))) };
    }),
    afterMs: 2,
    endUs: 10_000,
  };
}

/** A reading of a row that another operation of the trial writes too. */
function touched(): WatchedReading {
  const again = present(
    trial.find(
      ({ sequence, keys }) =>
        sequence > 0 && trial.filter((one) => one.keys.includes(present(keys[0]))).length > 1,
    ),
  );
  const key = [Number(again.values[0])];
  return readingOf({ ...again, rows: [{ table: 0, key }] }, (after) => after);
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the test expected a value');
  return value;
}
