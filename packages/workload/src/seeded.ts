import type { Row, ScalarValue, StoredCells } from '@fair-bench/contract';
import { seededOrigin } from './draw/content.ts';
import { mix32, scale } from './draw/scale.ts';
import { purposes, seedWords } from './draw/splitmix64.ts';
import { parametersIn, programIn, SeededRow, seedInCode } from './code/seeds.ts';
import { poolOf } from './supplies.ts';
import type { PlannedWorkload, ResolvedColumn, ResolvedTable, Workload } from './resolved.ts';
import type { ModelRow } from './store.ts';

/** The seeded row of a number, 0 … rows − 1: the key first, then every column in declared order. */
export function createSeededRows(workload: Begun, table: ResolvedTable): (number: number) => Row {
  const { keyColumns, columns } = table;
  const values = columns
    .slice(keyColumns)
    .map((column, index) => columnBefore(workload, table, column, keyColumns + index));
  return (number) => [...seededKey(table, number), ...values.map((valueOf) => valueOf(number))];
}

/** Where an earlier load left other rows, a seeded row has the values that it left. */
type Begun = PlannedWorkload & Pick<Workload, 'before'>;

/** The value of a seeded cell, by the numbers of its table, column and row; not for key columns. */
export type SeededCell = (table: number, column: number, row: number) => ScalarValue;

export function createSeededCells(workload: Begun): SeededCell {
  const cells = workload.tables.map((table) =>
    table.columns.map((column, place) => columnBefore(workload, table, column, place)),
  );
  return (table, column, row) => cells[table]?.[column]?.(row) ?? 0;
}

/** Whether a stored row has the value of a seeded cell in a column, by the seeded row's number. */
export type IsSeeded = (row: number, cells: StoredCells) => boolean;

/** By table and column; not for key columns. Makes no text to compare one. */
export function createSeededChecks(workload: PlannedWorkload): readonly (readonly IsSeeded[])[] {
  return workload.tables.map((table) =>
    table.columns.map((column, place) => seededCheck(workload, table, column, place)),
  );
}

function seededCheck(
  workload: PlannedWorkload,
  table: ResolvedTable,
  column: ResolvedColumn,
  place: number,
): IsSeeded {
  const { seed, type } = column;
  // Bytes are compared as values.
  if (type.kind === 'bytes') return () => false;
  if (seed.kind === 'content' && type.kind === 'text') {
    const { length } = type;
    const high = seededOrigin(table.number, place);
    const wordOf = seededWords(workload, table, place);
    const pool = poolOf(workload.seed);
    return (row, cells) =>
      cells.length(place) === length &&
      pool.isText(cells.view, cells.begin(place), length, high, row, wordOf(row));
  }
  const valueOf = seededColumn(workload, table, column, place);
  return (row, cells) => type.kind !== 'text' && cells.value(place) === valueOf(row);
}

export function equalValues(a: ScalarValue, b: ScalarValue | undefined): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  return a === b;
}

/** Whether a row is the one that a model expects; a column that the model does not know is null. */
export function isLikeModel(found: Row, expected: ModelRow): boolean {
  return expected.every((value, place) => value === null || equalValues(value, found[place]));
}

/** The key of a seeded row: the last column changes first. */
export function seededKey(
  { extents, firsts, keyColumns, columns }: ResolvedTable,
  number: number,
): ScalarValue[] {
  const key: ScalarValue[] = [];
  let rest = number;
  for (let place = keyColumns - 1; place >= 0; place -= 1) {
    const extent = extents[place] ?? Number.POSITIVE_INFINITY;
    const value = (firsts?.[place] ?? 0) + (extent === Infinity ? 0 : rest % extent);
    rest = extent === Infinity ? rest : Math.floor(rest / extent);
    key.unshift(columns[place]?.type.kind === 'int64' ? BigInt(value) : value);
  }
  return key;
}

/** The number of the seeded row that has a key; null when no seeded row has it. */
export function seededNumber({ extents, firsts, keyColumns }: ResolvedTable, key: Row): number | null {
  let number = 0;
  for (let place = 0; place < keyColumns; place += 1) {
    const value = Number(key[place]) - (firsts?.[place] ?? 0);
    const extent = extents[place] ?? 0;
    if (!(value >= 0 && value < extent && Number.isInteger(value))) return null;
    number = number * extent + value;
  }
  return number;
}

/** Whether a row of a number is seeded: of a workload in code some of those that the key could have are not. */
export function seededPresence(workload: PlannedWorkload, table: ResolvedTable): (number: number) => boolean {
  const isSeededAt = programIn(workload)?.present[table.name];
  if (isSeededAt === undefined) return () => true;
  const row = codeRow(workload, table, table.columns.length);
  return (number) => isSeededAt(row.at(number));
}

/** How many rows are seeded. */
export function seededCount(workload: PlannedWorkload, table: ResolvedTable): number {
  if (programIn(workload)?.present[table.name] === undefined) return table.rows;
  const isSeeded = seededPresence(workload, table);
  let count = 0;
  for (let number = 0; number < table.rows; number += 1) if (isSeeded(number)) count += 1;
  return count;
}

/** The seeded rows in pages, in the order of their numbers. */
export function* seededPages(
  workload: PlannedWorkload,
  table: ResolvedTable,
  rowsPerPage = 1000,
): Generator<Row[]> {
  const rowOf = createSeededRows(workload, table);
  const isSeeded = seededPresence(workload, table);
  for (let first = 0; first < table.rows; first += rowsPerPage) {
    const page: Row[] = [];
    const end = Math.min(first + rowsPerPage, table.rows);
    for (let number = first; number < end; number += 1) if (isSeeded(number)) page.push(rowOf(number));
    yield page;
  }
}

function columnBefore(
  workload: Begun,
  table: ResolvedTable,
  column: ResolvedColumn,
  place: number,
): (row: number) => ScalarValue {
  const { before } = workload;
  const seeded = seededColumn(workload, table, column, place);
  if (before === undefined || !(column.added || column.set)) return seeded;
  return (row) => before.value(table.number, place, row) ?? seeded(row);
}

function seededColumn(
  workload: PlannedWorkload,
  table: ResolvedTable,
  { type, seed }: ResolvedColumn,
  column: number,
): (row: number) => ScalarValue {
  if (seed.kind === 'constant') return () => seed.value;
  const wordOf = seededWords(workload, table, column);
  if (seed.kind === 'code') {
    const program = programIn(workload);
    // A load client has no functions, and sees no such row.
    if (program === null) return () => 0;
    const { name } = table.columns[column] ?? { name: '' };
    return seedInCode(program, table, name, codeRow(workload, table, column));
  }
  if (seed.kind === 'content') {
    const pool = poolOf(dataSeed(workload));
    const high = seededOrigin(table.number, column);
    if (type.kind === 'bytes')
      return (row) => pool.writeBytes(new Uint8Array(type.length), high, row, wordOf(row));
    const length = type.kind === 'text' ? type.length : 0;
    return (row) => pool.text(length, high, row, wordOf(row));
  }
  const { min, count } = seed.kind === 'uniform' ? seed : { min: 0n, count: 1 };
  if (type.kind === 'int64') return (row) => min + BigInt(scale(wordOf(row), count));
  if (type.kind === 'bool') return (row) => Number(min) + scale(wordOf(row), count) !== 0;
  return (row) => Number(min) + scale(wordOf(row), count);
}

/** What the value of a seeded cell is drawn from, by its row's number. */
function seededWords(
  workload: PlannedWorkload,
  { number }: ResolvedTable,
  column: number,
): (row: number) => number {
  const words = Int32Array.from(seedWords(dataSeed(workload), 0, purposes.seededColumn(number, column), 2));
  const [first = 0, second = 0] = words;
  return (row) => mix32((mix32(row ^ first) + second) | 0);
}

/** The rows of a workload in code are the same for every seed: they take long to load. */
function dataSeed(workload: PlannedWorkload): bigint {
  return programIn(workload) === null ? workload.seed : 0n;
}

function codeRow(workload: PlannedWorkload, table: ResolvedTable, column: number): SeededRow {
  return new SeededRow(parametersIn(workload), table, seededWords(workload, table, column), mix32);
}
