import { mkdtempDisposable, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Row, ScalarValue } from '@fair-bench/contract';
import {
  nullValue,
  compareKeys,
  createSeededModel,
  type ResolvedColumn,
  type ResolvedTable,
  seededPages,
  type Workload,
  tableDifferences,
} from '@fair-bench/workload';
import { type Fixture, type RunningTarget, soon } from './fixture.ts';

const typedRows = 24;

export function testTables(fixture: Fixture): void {
  test('seeding again leaves exactly the seeded rows, whatever the table contained', async ({ skip }) => {
    const target = fixture.soundTarget(skip);
    await target.seed(1_500);
    await target.seed(1_000);
    const workload = await target.seed(1_000);
    const { store } = createSeededModel(workload);
    for (const table of workload.tables) {
      const rows = await target.rows(workload, table.number);
      expect(tableDifferences(table, store.rows(table.number), rows)).toEqual([]);
    }
    // Nine tables of TPC-C three times, beside other tests.
  }, 120_000);

  test('every table returns what was loaded and what was replaced, by scan and by key, and is empty once cleared', async ({
    skip,
  }) => {
    const target = fixture.soundTarget(skip);
    if (target.deployment.tables === undefined) skip('its deployment has no `tables`');
    const workload = await target.seed();
    try {
      for (const table of workload.tables) {
        expect(await roundTrip(target, workload, table)).toEqual([]);
      }
    } finally {
      await reload(target, workload);
    }
  });
}

/** Of engines in the load client. */
export function testCompaction(fixture: Fixture): void {
  test('the compaction of the engine leaves every row, in its files or in a copy', async ({ skip }) => {
    const target = fixture.soundTarget(skip);
    const workload = await target.seed(1_000);
    await using copy = await mkdtempDisposable(join(tmpdir(), 'fair-bench-compact-'));
    const has = await target.deployment.compact?.(copy.path);
    const { store } = createSeededModel(workload);
    for (const table of workload.tables) {
      const rows = await target.rows(workload, table.number);
      expect(tableDifferences(table, store.rows(table.number), rows)).toEqual([]);
    }
    if (has !== true) skip('the rows are there, and the engine has no compaction');
    const copied = await readdir(copy.path);
    process.stdout.write(`${target.name} compacts ${copied.length === 0 ? 'its files' : 'into a copy'}\n`);
  });
}

/** The loaded rows that a table does not return unchanged, in lines. */
async function roundTrip(target: RunningTarget, workload: Workload, table: ResolvedTable): Promise<string[]> {
  const { tables } = target;
  const { number, keyColumns } = table;
  const keysOf = (rows: readonly Row[]): Row[] => rows.map((row) => row.slice(0, keyColumns));
  const rows = rowsAtTheEdges(table);
  const last = rows.slice(-1);
  const some = rows.slice(0, -1).filter((_, index) => index % 2 === 0);
  const lines: string[] = [];
  const compare = (when: string, expected: readonly Row[], actual: readonly Row[]): void => {
    lines.push(...tableDifferences(table, expected, actual).map((line) => `${when}: ${line}`));
  };
  await tables.clear(number, soon());
  compare('scan after clear', [], await target.rows(workload, number));
  await tables.load(number, pages([rows.slice(0, 5), rows.slice(5)]), soon());
  compare('scan after load', rows, await target.rows(workload, number));
  compare('read by key', some, await tables.read(number, keysOf(some), soon()));
  if (tables.replace !== undefined) {
    // Every other row with the values of the next.
    const replaced = rows.map((row, index) =>
      index % 2 === 0 ? [...row.slice(0, keyColumns), ...(rows[index + 1] ?? row).slice(keyColumns)] : row,
    );
    await tables.replace(
      number,
      replaced.filter((_, index) => index % 2 === 0),
      soon(),
    );
    compare('scan after replace', replaced, await target.rows(workload, number));
  }
  await tables.clear(number, soon());
  await tables.load(number, pages([some]), soon());
  compare('read of a missing row', some, await tables.read(number, keysOf([...some, ...last]), soon()));
  return lines;
}

/** The runner relies on this: tables that no operation writes are not seeded again. */
async function reload(target: RunningTarget, workload: Workload): Promise<void> {
  for (const table of workload.tables) {
    await target.tables.clear(table.number, soon());
    await target.tables.load(table.number, pages([...seededPages(workload, table)]), soon());
  }
}

/** Rows with the smallest and largest values of every type, each with its own key. */
function rowsAtTheEdges({ columns, keyColumns }: ResolvedTable): Row[] {
  const rows = Array.from({ length: typedRows }, (_, index): Row =>
    columns.map((column, place) => {
      const edges = edgesOf(column);
      if (place < keyColumns && index >= edges.length) return spread(column, index);
      return edges[(index + place) % edges.length] ?? 0;
    }),
  );
  const sorted = rows.toSorted((a, b) => compareKeys(a, b, keyColumns));
  return sorted.filter((row, index) => compareKeys(row, sorted[index + 1] ?? [], keyColumns) !== 0);
}

function edgesOf({ type, stored, nullable }: ResolvedColumn): readonly ScalarValue[] {
  if (type.kind === 'key') return [0, 0xffff_ffff, 1, 0x7fff_ffff, 0x8000_0000];
  if (type.kind === 'int64' && (stored !== undefined || nullable === true))
    return [...edgesStored(stored), ...(nullable === true ? [nullValue] : [])];
  if (type.kind === 'int64') return [-(2n ** 63n), 2n ** 63n - 1n, 0n, -1n, 2n ** 53n + 1n];
  if (type.kind === 'bool') return [false, true];
  if (type.kind === 'text') return ['', `'"\\;,\`\${}`.slice(0, type.length), 'z'.repeat(type.length)];
  const all = Uint8Array.from({ length: type.length }, (_, index) => index % 256);
  return [new Uint8Array(0), all, new Uint8Array(type.length)];
}

/** As far as systems with SQL store them: a time in MySQL's family lies in the years 1000 to 9999. */
function edgesStored(stored: ResolvedColumn['stored']): readonly bigint[] {
  if (stored?.kind === 'timestamp') return [-1n, 0n, 1n, 2n ** 51n + 1n, -(2n ** 51n) - 1n];
  const most = stored?.kind === 'decimal' ? 10n ** BigInt(stored.precision) - 1n : 2n ** 63n - 1n;
  return [-most, most, 0n, -1n, 1n];
}

/** A value for a key's column that is not a limit of its type. */
function spread({ type }: ResolvedColumn, index: number): ScalarValue {
  return type.kind === 'int64' ? BigInt(index) * 1_000n : 1_000 * index;
}

async function* pages(all: readonly (readonly Row[])[]): AsyncIterable<readonly Row[]> {
  for (const page of all) yield await Promise.resolve(page);
}
