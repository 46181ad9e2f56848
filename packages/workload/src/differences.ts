import type { OperationOutcome, Reply, Row, ScalarValue, Values } from '@fair-bench/contract';
import { equalValues } from './seeded.ts';
import type { ConformanceCase } from './cases.ts';
import type { ResolvedOperation, ResolvedTable, Workload } from './resolved.ts';
import type { MemoryStore, ModelRow } from './store.ts';

const examplesMax = 3;

/** Differences by kind: each kind is one line, with its count and the first few examples. */
export class Differences {
  readonly #kinds = new Map<string, { count: number; readonly examples: string[] }>();

  add(kind: string, example: string): void {
    const seen = this.#kinds.get(kind) ?? { count: 0, examples: [] };
    seen.count += 1;
    if (seen.examples.length < examplesMax) seen.examples.push(example);
    this.#kinds.set(kind, seen);
  }

  lines(): string[] {
    return [...this.#kinds].map(([kind, { count, examples }]) => {
      const more = count > examples.length ? ', …' : '';
      return `${kind} (${count} ×): ${examples.join(', ')}${more}`;
    });
  }
}

/** How a table's rows differ from the model's: one line per kind of difference, none when they are equal. */
export function tableDifferences(
  { name, keyColumns }: ResolvedTable,
  expected: readonly ModelRow[],
  actual: readonly Row[],
): string[] {
  const differences = new Differences();
  const keyed = new Map(actual.map((row) => [keyText(row, keyColumns), row]));
  for (const row of expected) {
    const key = keyText(row, keyColumns);
    const found = keyed.get(key);
    keyed.delete(key);
    if (found === undefined) differences.add(`${name}: rows that are missing`, shortText(row));
    else if (!sameRow(row, found)) {
      differences.add(`${name}: rows that differ from the model's`, insteadOf(row, found));
    }
  }
  for (const row of keyed.values()) differences.add(`${name}: rows that no operation wrote`, shortText(row));
  return differences.lines();
}

/** How an outcome and its reply differ from the model's: the kind of difference, or null. */
export function outcomeDifference(
  workload: Workload,
  store: MemoryStore,
  { operation: number, expected }: ConformanceCase,
  outcome: OperationOutcome,
): string | null {
  const operation = workload.operations[number];
  if (operation === undefined) return null;
  const [wanted, got] = [outcomeText(expected), outcomeText(outcome)];
  if (wanted !== got) return `${operation.name}: ${got} instead of ${wanted}`;
  if (expected.kind !== 'applied' || outcome.kind !== 'applied') return null;
  const wrong = replyDifference(operation, expected.rows, outcome.reply, (table) =>
    store.rows(workload.tables.findIndex(({ name }) => name === table)),
  );
  return wrong === null ? null : `${operation.name}: ${wrong}`;
}

function replyDifference(
  { description: { returns, asserts } }: ResolvedOperation,
  expected: readonly ModelRow[] | null,
  reply: Reply | null,
  rowsOf: (table: string) => readonly ModelRow[],
): string | null {
  if (returns.kind === 'nothing') return reply === null ? null : 'a reply where it returns nothing';
  if (reply === null) return 'no reply';
  if (returns.kind === 'fields') {
    const typed =
      reply.kind === 'fields' &&
      reply.fields.length === returns.fields.length &&
      returns.fields.every(({ type }, index) => typeOf(reply.fields[index]) === type.kind);
    if (!typed) return 'a reply without the declared fields in their types';
    const [found] = expected ?? [];
    return found === undefined || sameRow(found, reply.fields)
      ? null
      : `the returned fields are ${shortText(reply.fields)} instead of ${shortText(found)}`;
  }
  if (reply.kind !== 'rows') return 'fields where it returns rows';
  if (returns.kind !== 'records' && (expected === null || asserts === 'content')) {
    const known = rowsOf(returns.table);
    const unknown = reply.rows.find((row) => !known.some((each) => sameRow(each, row)));
    return unknown === undefined
      ? null
      : `a returned row that is not in ${returns.table}: ${shortText(unknown)}`;
  }
  const wanted = expected ?? [];
  if (reply.rows.length !== wanted.length) {
    return `${reply.rows.length} returned rows instead of ${wanted.length}`;
  }
  const wrong = wanted.findIndex((row, index) => !sameRow(row, reply.rows[index] ?? []));
  return wrong === -1
    ? null
    : `returned row ${wrong} is ${insteadOf(wanted[wrong] ?? [], reply.rows[wrong] ?? [])}`;
}

/** Rows that read alike differ in a type: a number where a bigint belongs. */
function insteadOf(expected: ModelRow, found: Row): string {
  const [wanted, got] = [shortText(expected), shortText(found)];
  if (wanted !== got) return `${got} instead of ${wanted}`;
  const place = expected.findIndex((value, at) => value !== null && !equalValues(value, found[at]));
  const types = [typeof found[place], typeof expected[place]];
  return `${got} with a ${types[0]} instead of a ${types[1]} in column ${place}: a key is a number, an int64 a bigint`;
}

/** A `key` is a number, an `int64` a bigint. */
function typeOf(value: ScalarValue | undefined): string {
  if (value instanceof Uint8Array) return 'bytes';
  const kinds: Readonly<Record<string, string>> = {
    number: 'key',
    bigint: 'int64',
    boolean: 'bool',
    string: 'text',
  };
  return kinds[typeof value] ?? typeof value;
}

function outcomeText(outcome: OperationOutcome | ConformanceCase['expected']): string {
  if (outcome.kind === 'declined') return `declined (${outcome.reason})`;
  if (outcome.kind === 'applied') return 'applied';
  return 'code' in outcome ? `a fault (${outcome.code}: ${outcome.message})` : 'a fault';
}

/** A column that is null in the model's row may have any value. */
function sameRow(expected: ModelRow, actual: Row): boolean {
  return (
    expected.length === actual.length &&
    expected.every((value, place) => value === null || equalValues(value, actual[place]))
  );
}

function keyText(row: ModelRow, width: number): string {
  return row.slice(0, width).join(' ');
}

/** A row or arguments, short enough for one line. */
export function shortText(values: ModelRow | Values): string {
  const shown = values.map((value) => {
    if (value === null) return 'anything';
    if (value instanceof Uint8Array) return `${value.length} bytes`;
    if (typeof value === 'object') return `${value.length} records`;
    if (typeof value !== 'string') return String(value);
    return JSON.stringify(value.length > 12 ? `${value.slice(0, 12)}…` : value);
  });
  return `(${shown.join(', ')})`;
}
