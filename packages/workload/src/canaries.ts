import {
  isListValue,
  type JsonObject,
  type Row,
  type ScalarValue,
  type Value,
  type Values,
} from '@fair-bench/contract';
import { smallParameters } from './cases.ts';
import { createSlots, createStream } from './compile.ts';
import { Model } from './model.ts';
import { resolveWorkload } from './resolve.ts';
import type { ResolvedOperation, ResolvedTable, Workload } from './resolved.ts';
import type { WorkloadDescription } from './schema.ts';
import { createSeededRows, seededNumber } from './seeded.ts';
import type { ModelRow, Store } from './store.ts';

/** A row of a table, by the table's number. */
interface TableRow<Of = Row> {
  readonly table: number;
  readonly row: Of;
}

/** An operation on rows that no stream uses, with its effects. */
export interface Canary {
  readonly operation: number;
  readonly values: Values;
  /** Rows that it needs. */
  readonly seeded: readonly TableRow[];
  /** The rows after it is applied. */
  readonly expected: readonly TableRow<ModelRow>[];
}

/** Each canary has this many own keys, counted down from the largest key; streams count up from 0. */
const keysEach = 2 ** 18;
/** Where seeded rows leave so much room, keys are in 31 bits: a column of the user's own tables may have no more. */
const [seededInHalf, keyLastOfHalf, keyLastOfAll] = [2 ** 30, 2 ** 31 - 1, 2 ** 32 - 1];
/** Beyond the sessions of any trial: values unique to a session are unique to a canary. */
const sessionFirst = 2 ** 17;
const triesMax = 16;

/**
 * `count` applicable operations, those that write in turn, drawn on the workload with little data and moved to keys
 * of their own. None if every writing operation touches rows that another one finds without naming their key, as in a
 * scan: it would see an additional row.
 */
export function drawCanaries(
  description: WorkloadDescription,
  parameters: JsonObject,
  count: number,
): readonly Canary[] {
  if (description.code !== undefined) return [];
  const small = resolveWorkload(description, withFewRows(description, parameters));
  const full = resolveWorkload(description, parameters);
  const keyLast = keyLastOf(full);
  const room = keyLast - count * keysEach;
  if (full.tables.some(({ extents }) => extents.some((extent) => extent > room))) return [];
  const exposed = exposedTables(small);
  const seededRows = small.tables.map((table) => createSeededRows(small, table));
  const drawable = small.operations.filter(({ weight }) => weight > 0);
  const draw = (operation: ResolvedOperation, number: number): Canary | null => {
    const drawn = drawOne(
      { workload: small, seededRows, keyFirst: keyLast - number * keysEach },
      operation,
      number,
    );
    const rows = [...(drawn?.seeded ?? []), ...(drawn?.expected ?? [])];
    return rows.some(({ table }) => exposed.has(table)) ? null : drawn;
  };
  const kinds = drawable.filter((operation) => draw(operation, 0) !== null);
  return Array.from({ length: count }, (_, number) => {
    const kind = kinds[number % kinds.length];
    return kind === undefined ? null : draw(kind, number);
  }).filter((canary) => canary !== null);
}

function keyLastOf({ tables }: Workload): number {
  const fits = tables.every(({ extents }) => extents.every((extent) => extent < seededInHalf));
  return fits ? keyLastOfHalf : keyLastOfAll;
}

function withFewRows(description: WorkloadDescription, parameters: JsonObject): JsonObject {
  const named = new Set(description.tables.flatMap(({ rows }) => rows));
  const few = Object.entries(smallParameters(description)).filter(([name]) => named.has(name));
  return { ...parameters, ...Object.fromEntries(few) };
}

/** Tables with an operation that finds rows by more than their first key column. */
function exposedTables({ tables, operations }: Workload): ReadonlySet<number> {
  const names = operations.flatMap(({ weight, description: { returns, rows } }) => {
    if (weight === 0) return [];
    const firsts = rows.flatMap(({ table, keys }) => (keys.length === 0 ? [table] : []));
    if (returns.kind === 'chosen-rows') return [returns.table, ...firsts];
    return returns.kind === 'scan' && returns.prefix.length === 0 ? [returns.table, ...firsts] : firsts;
  });
  return new Set(tables.filter(({ name }) => names.includes(name)).map(({ number }) => number));
}

type SeededRows = readonly ((number: number) => Row)[];

interface Drawn {
  readonly workload: Workload;
  readonly seededRows: SeededRows;
  readonly keyFirst: number;
}

function drawOne(
  { workload, seededRows, keyFirst }: Drawn,
  operation: ResolvedOperation,
  number: number,
): Canary | null {
  const operations = workload.operations.map((each) => ({ ...each, weight: each === operation ? 1 : 0 }));
  const alone: Workload = { ...workload, operations };
  const session = sessionFirst + number;
  const stream = createStream(alone, { session, sessions: session + 1 });
  const slots = createSlots(alone);
  for (let tries = 0; tries < triesMax; tries += 1) {
    stream.next(slots);
    const values = moved(operation, slots[operation.number] ?? [], keyFirst);
    const store = new CanaryStore(workload, seededRows, keyFirst);
    const { kind } = new Model(workload, store).execute(operation.number, values);
    if (store.strayed) return null;
    if (kind === 'applied' && store.changed.length > 0) {
      return { operation: operation.number, values, seeded: store.found, expected: store.changed };
    }
  }
  return null;
}

/** Values whose keys of tables are those of a canary. */
function moved(operation: ResolvedOperation, values: readonly Value[], keyFirst: number): Values {
  const move = (generator: object, value: ScalarValue): ScalarValue =>
    'table' in generator && generator.table !== null && typeof value === 'number' ? keyFirst - value : value;
  return operation.arguments.map((argument, place) => {
    const value = values[place] ?? 0;
    if (argument.kind === 'scalar') return isListValue(value) ? value : move(argument.generator, value);
    if (!isListValue(value)) return value;
    const fields = argument.fields.map(({ generator }, field) =>
      (value.fields[field] ?? []).map((each) => move(generator, each)),
    );
    return { length: value.length, fields };
  });
}

/** The seeded rows of the workload with little data, under a canary's keys. */
class CanaryStore implements Store {
  readonly #workload: Workload;
  readonly #seededRows: SeededRows;
  readonly #keyFirst: number;
  readonly #found = new Map<string, TableRow>();
  readonly #changed = new Map<string, TableRow<ModelRow>>();
  /** Whether it met a row that a stream uses too. */
  strayed = false;

  constructor(workload: Workload, seededRows: SeededRows, keyFirst: number) {
    this.#workload = workload;
    this.#seededRows = seededRows;
    this.#keyFirst = keyFirst;
  }

  get found(): readonly TableRow[] {
    return [...this.#found.values()];
  }

  get changed(): readonly TableRow<ModelRow>[] {
    return [...this.#changed.values()];
  }

  get(number: number, key: Row): ModelRow | null {
    const name = `${number} ${key.join(' ')}`;
    const known = this.#found.get(name);
    if (known !== undefined) return known.row;
    const table = this.#workload.tables[number];
    if (table === undefined) return null;
    const original = key.map((value, place) => this.#unmoved(table, place, value));
    const row = seededNumber(table, original);
    if (row === null) return null;
    if (original.every((value, place) => value === key[place])) {
      this.strayed = true;
      return null;
    }
    const seeded = [...key, ...(this.#seededRows[number]?.(row) ?? []).slice(key.length)];
    this.#found.set(name, { table: number, row: seeded });
    return seeded;
  }

  put(table: number, row: ModelRow): void {
    const width = this.#workload.tables[table]?.keyColumns;
    this.#changed.set(`${table} ${row.slice(0, width).join(' ')}`, { table, row });
  }

  /** A row that is gone cannot be observed. */
  remove(): void {
    this.strayed = true;
  }

  range(): ModelRow[] {
    return [];
  }

  #unmoved({ columns }: ResolvedTable, place: number, value: ScalarValue): ScalarValue {
    if (columns[place]?.type.kind !== 'key' || typeof value !== 'number') return value;
    const back = this.#keyFirst - value;
    return back >= 0 && back < keysEach ? back : value;
  }
}
