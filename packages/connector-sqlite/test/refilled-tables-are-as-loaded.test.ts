import { mkdtemp, rm, stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { Row, TableShape } from '@fair-bench/contract';
import { createTables, settle, sqliteTables } from '../src/tables.ts';

const count = 20_000;
const shape: TableShape = {
  name: 'box',
  columns: [
    { name: 'id', type: { kind: 'key' } },
    { name: 'items', type: { kind: 'int64' } },
    { name: 'label', type: { kind: 'text', length: 12 } },
  ],
  keyColumns: 1,
  indexes: [['items']],
  written: true,
};

async function* seeded(): AsyncGenerator<readonly Row[]> {
  yield await Promise.resolve(
    Array.from({ length: count }, (_, id): Row => [id, BigInt(id % 97), `box ${id}`]),
  );
}

test('a scan has every row once where the key has three columns and the rows take several pages', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'fair-bench-sqlite-'));
  const path = join(directory, 'data.db');
  const columns = ['a', 'b', 'c'].map((name) => ({ name, type: { kind: 'key' } as const }));
  const wide: TableShape = { ...shape, columns, keyColumns: 3, indexes: [] };
  // Pages end between rows that differ in the first, in the second and only in the third column.
  const rows = Array.from({ length: 50_000 }, (_, row): Row => [Math.trunc(row / 15_000), row % 3, row]);
  try {
    await createTables(path, [wide]);
    const tables = sqliteTables(path, [wide]);
    await tables.load(0, Readable.from([rows]), AbortSignal.timeout(20_000));
    const scanned = (await Array.fromAsync(tables.scan(0, AbortSignal.timeout(20_000)))).flat();
    expect(scanned.map(([, , row]) => Number(row)).toSorted((a, b) => a - b)).toEqual(
      rows.map(([, , row]) => row),
    );
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('a refilled table has the rows, the pages and the file size of a newly loaded one', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'fair-bench-sqlite-'));
  const path = join(directory, 'data.db');
  const signal = AbortSignal.timeout(30_000);
  try {
    await createTables(path, [shape]);
    const tables = sqliteTables(path, [shape]);
    const { copies } = tables;
    if (copies === undefined) throw new Error('SQLite has copies');
    const read = async (): Promise<Row[]> => (await Array.fromAsync(tables.scan(0, signal))).flat();
    const query = (text: string): unknown => {
      const database = new DatabaseSync(path);
      try {
        return database.prepare(text).all();
      } finally {
        database.close();
      }
    };
    const state = async (): Promise<unknown> => {
      settle(path);
      return [
        query('PRAGMA page_count'),
        query('PRAGMA freelist_count'),
        (await stat(path)).size,
        query('PRAGMA integrity_check'),
      ];
    };
    const write = (): void => {
      query('UPDATE box SET items = items * 1000003, label = label || label');
      query('DELETE FROM box WHERE id % 10 = 0');
    };
    await tables.load(0, seeded(), signal);
    const rows = await read();
    await copies.keep(0, 'seeded', signal);
    write();
    await tables.clear(0, signal);
    await tables.load(0, seeded(), signal);
    const loadedAnew = await state();
    write();
    expect(await copies.refill(0, 'seeded', signal)).toBe(count);
    await tables.load(0, (async function* none() {})(), signal);
    expect(await read()).toEqual(rows);
    expect(await state()).toEqual(loadedAnew);
  } finally {
    await rm(directory, { recursive: true });
  }
});
