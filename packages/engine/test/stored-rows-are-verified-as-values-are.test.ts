import type { OperationOutcome } from '@fair-bench/contract';
import {
  add,
  defaultParameters,
  defineWorkload,
  fieldNames,
  fields,
  int64,
  key,
  mixes,
  choice,
  OutcomeLog,
  parsePlanned,
  plannedJson,
  resolveWorkload,
  row,
  seededPages,
  set,
  table,
  text,
  uniform,
} from '@fair-bench/workload';
import { expect, test } from 'vitest';
import { storedTables } from '../src/executor.ts';
import type { StoredTable } from '../src/stored-rows.ts';

const records = 8;
const length = 42;
const cellBytes = 4 + length;
const item = key('t', uniform());
const description = defineWorkload({
  name: 'stored',
  about: 'Reads rows, and changes some of their columns in one mix.',
  parameters: {
    mix: { type: 'choice', default: 'both', options: ['read', 'both'], about: 'what is drawn' },
  },
  tables: {
    t: table({ rows: records, key: 'id', columns: { count: int64(7), ...fields(3, text(length)) } }),
  },
  weights: mixes('mix', { read: { read: 1 }, both: { read: 1, change: 1 } }),
  operations: {
    read: { arguments: { id: item }, returns: row('t', 'id') },
    change: {
      arguments: { id: item, field: choice(fieldNames(3)), value: text(length) },
      rows: { r: row('t', 'id') },
      effects: [add('r.count', 1), set('r', { at: 'field', to: 'value' })],
    },
  },
  axes: {},
});
/** The words of a log's header before the count of wrong replies, and those of all. */
const mistakesAt = 5;
const headerWords = 13;

function planned(mix: string) {
  const parameters = { ...defaultParameters(description), mix };
  return parsePlanned(plannedJson(resolveWorkload(description, parameters)), 'the test');
}

/** How many of the replies a log finds wrong, and its words on them, when operation `sequence` reads record `id`. */
function judged(mix: string, sequence: number, id: number, reply: OperationOutcome): [number, string] {
  const log = new OutcomeLog(planned(mix), { sessions: 1 });
  log.open(0).settled(sequence, 0, [id], reply, 0, 1);
  const words = Buffer.concat(log.encode());
  return [words.readUInt32LE(4 * mistakesAt), words.toString('latin1', 4 * headerWords)];
}

function setUp(): { stored: StoredTable; value: Uint8Array; id: readonly [number] } {
  const workload = planned('read');
  const [seeded] = workload.tables;
  const [stored] = storedTables(workload.tables);
  if (seeded === undefined || stored === undefined) throw new Error('it has a table');
  const [page = []] = seededPages(workload, seeded);
  return { stored, value: stored.valueOf(page[3] ?? []), id: [3] };
}

test.each(['read', 'both'])(
  'of mix %s a row in its bytes is judged as its values are, whichever byte is wrong',
  (mix) => {
    const { stored, value, id } = setUp();
    const found = new Set<number>();
    for (let place = -1; place < value.length; place += 1) {
      const bytes = Uint8Array.from(value);
      if (place >= 0) bytes[place] = (bytes[place] ?? 0) ^ 1;
      // A length that is wrong may make it no row.
      if (place >= 8 && (place - 8) % cellBytes < 4) continue;
      const rows = [stored.rowOf(id, bytes)];
      const cells = stored.cellsOf(id, bytes);
      const asValues = judged(mix, 2, 3, { kind: 'applied', reply: { kind: 'rows', rows }, retries: 0 });
      const asStored = judged(mix, 2, 3, {
        kind: 'applied',
        reply: { kind: 'rows', rows, stored: cells },
        retries: 0,
      });
      expect(asStored, `byte ${place}`).toEqual(asValues);
      if (asValues[0] === 1) found.add(place);
    }
    const counter = mix === 'read' ? Array.from({ length: 8 }, (_, place) => place) : [];
    const inTurn = Array.from({ length }, (_, place) => 8 + 2 * cellBytes + 4 + place);
    expect([...found]).toEqual([...counter, ...inTurn]);
  },
);

test('a row of another key, a shorter text and no row are wrong in their bytes too', () => {
  const { stored, value, id } = setUp();
  const reply = (cells: ReturnType<StoredTable['cellsOf']>): OperationOutcome => ({
    kind: 'applied',
    reply: { kind: 'rows', rows: [cells.row()], stored: cells },
    retries: 0,
  });
  expect(judged('read', 2, 4, reply(stored.cellsOf(id, value)))[0]).toBe(1);
  const texts = stored.rowOf(id, value).map((cell) => (typeof cell === 'string' ? cell.slice(1) : cell));
  expect(judged('read', 2, 3, reply(stored.cellsOf(id, stored.valueOf(texts))))[0]).toBe(1);
  expect(judged('read', 2, 3, { kind: 'applied', reply: { kind: 'rows', rows: [] }, retries: 0 })[0]).toBe(1);
  expect(judged('read', 2, 3, reply(stored.cellsOf(id, value)))[0]).toBe(0);
});

test('a row that nobody seeded is named where nobody writes', () => {
  const { stored, value } = setUp();
  const rows = [stored.rowOf([records], value)];
  const reply = { kind: 'rows', rows, stored: stored.cellsOf([records], value) } as const;
  expect(judged('read', 2, records, { kind: 'applied', reply, retries: 0 })[1]).toContain(
    `t (${records}) was never inserted`,
  );
});
