import {
  isListValue,
  type JsonObject,
  type ListValue,
  type ScalarValue,
  type Value,
} from '@fair-bench/contract';
import { createSlots, createStream } from './compile.ts';
import { createSeededModel, type Model, type ModelOutcome } from './model.ts';
import { defaultParameters, resolveWorkload } from './resolve.ts';
import type { MemoryStore } from './store.ts';
import type { ResolvedArgument, ResolvedField, ResolvedOperation, Workload } from './resolved.ts';
import type { WorkloadDescription } from './schema.ts';

/** An operation for a target, one at a time and in order, with the model's result. */
export interface ConformanceCase {
  readonly operation: number;
  /** Not reused: it may be kept. */
  readonly values: readonly Value[];
  readonly expected: Exclude<ModelOutcome, { kind: 'fault' }>;
}

export const smallRows = 7;
/** More than the seeded rows and what the boundary cases insert. */
const repeatedMax = 50;

export interface SmallSizes {
  /** For every parameter that a table's `rows` names, as near as its range allows; 7 by default. */
  readonly rows?: number;
  /** For every parameter of type int64, so that amounts run out. */
  readonly amounts?: bigint;
}

/** The parameters of a trial with little data; the others have their defaults. */
export function smallParameters(
  description: WorkloadDescription,
  { rows = smallRows, amounts }: SmallSizes = {},
): JsonObject {
  const named = new Set(description.tables.flatMap((table) => table.rows));
  const small = description.parameters.flatMap((parameter): [string, number | string][] => {
    const { name } = parameter;
    if (parameter.type === 'integer' && named.has(name)) {
      return [[name, Math.min(parameter.max, Math.max(parameter.min, parameter.small ?? rows))]];
    }
    if (parameter.type !== 'int64' || amounts === undefined) return [];
    const [min, max] = [BigInt(parameter.min), BigInt(parameter.max)];
    return [[name, String(amounts < min ? min : amounts > max ? max : amounts)]];
  });
  return { ...defaultParameters(description), ...Object.fromEntries(small) };
}

/** The workload on seven rows. */
export function smallWorkload(description: WorkloadDescription): Workload {
  return resolveWorkload(description, smallParameters(description));
}

/**
 * Every operation with each argument in turn at its boundaries: smallest, largest, a missing row, one below, at and
 * above the compared value. The model has executed a case before it is yielded; cases that are faults are left out.
 * @param edges of numbers: all that a value can be, or those that columns of the user's own take, of 31 bits and above 0.
 */
export function* boundaryCases(
  model: Model,
  store: MemoryStore,
  edges: Edges = 'all',
): Generator<ConformanceCase> {
  for (const operation of model.workload.operations) {
    const draw = drawerOf(model.workload, operation);
    if (operation.description.code !== undefined) {
      yield* drawnAlone(model, operation, draw);
      continue;
    }
    yield* untilDeclined(model, operation, draw);
    for (const [slot, argument] of operation.arguments.entries()) {
      for (const change of changesOf(model.workload, operation, { argument, slot, edges })) {
        for (const values of change(draw(), store)) {
          const expected = model.execute(operation.number, values);
          if (expected.kind !== 'fault') yield { operation: operation.number, values, expected };
        }
      }
    }
  }
}

/** How often an operation in code is drawn, whose arguments have no boundaries of their own. */
const drawnAloneCount = 24;

function* drawnAlone(
  model: Model,
  { number }: ResolvedOperation,
  draw: () => Values,
): Generator<ConformanceCase> {
  for (let drawn = 0; drawn < drawnAloneCount; drawn += 1) {
    const values = draw();
    const expected = model.execute(number, values);
    if (expected.kind !== 'fault') yield { operation: number, values, expected };
  }
}

/** Repeats an operation on a table's first row until the table has no row and the operation is declined. */
function* untilDeclined(
  model: Model,
  operation: ResolvedOperation,
  draw: () => Values,
): Generator<ConformanceCase> {
  const { rows, declines } = operation.description;
  if (declines.length === 0 || rows.every(({ keys }) => keys.length > 0)) return;
  for (let repeated = 0; repeated < repeatedMax; repeated += 1) {
    const values = draw();
    const expected = model.execute(operation.number, values);
    if (expected.kind === 'fault') return;
    yield { operation: operation.number, values, expected };
    if (expected.kind === 'declined') return;
  }
}

/** Enough that every operation of our workloads meets each of its outcomes on seven rows. */
export const drawnCount = 500;

/**
 * `count` drawn operations, of each kind in turn; in every fourth, one argument is at a boundary, so that hot rows,
 * missing rows and declines meet earlier operations. The model has executed a case before it is yielded.
 */
export function* drawnCases(model: Model, store: MemoryStore, count: number): Generator<ConformanceCase> {
  const kinds = model.workload.operations.map((operation) => ({
    operation,
    draw: drawerOf(model.workload, operation, 1),
    changes:
      operation.description.code === undefined
        ? operation.arguments.flatMap((argument, slot) =>
            changesOf(model.workload, operation, { argument, slot, edges: 'all' }),
          )
        : [],
  }));
  for (let drawn = 0; drawn < count; drawn += 1) {
    const kind = kinds[drawn % kinds.length];
    if (kind === undefined) return;
    const turn = Math.floor(drawn / kinds.length);
    const change =
      turn % 4 === 3 && kind.changes.length > 0 ? kind.changes[(turn >> 2) % kind.changes.length] : undefined;
    const given = kind.draw();
    for (const values of change?.(given, store).slice(0, 1) ?? [given]) {
      const expected = model.execute(kind.operation.number, values);
      if (expected.kind !== 'fault') yield { operation: kind.operation.number, values, expected };
    }
  }
}

/** Decline rules that no case reaches, as paths. */
export function unreachedRules(description: WorkloadDescription): string[][] {
  if (description.operations.every(({ declines }) => declines.length === 0)) return [];
  const { model, store } = createSeededModel(smallWorkload(description));
  const reached = new Set<string>();
  for (const cases of [boundaryCases(model, store), drawnCases(model, store, drawnCount)]) {
    for (const { operation, expected } of cases) {
      if (expected.kind === 'declined') reached.add(`${operation} ${expected.rule}`);
    }
  }
  return description.operations.flatMap(({ name, declines }, operation) =>
    declines.flatMap(({ reason }, rule) =>
      reached.has(`${operation} ${rule}`) ? [] : [['operations', name, 'declines', `${rule} (${reason})`]],
    ),
  );
}

type Values = Value[];
type Edges = 'all' | 'own';
/** From drawn values, the same with one argument changed. */
type Change = (values: Values, store: MemoryStore) => Values[];

/** Draws operations of one kind, with values that may be kept. */
export function drawerOf(workload: Workload, operation: ResolvedOperation, session = 0): () => Values {
  const operations = workload.operations.map((each) => ({ ...each, weight: each === operation ? 1 : 0 }));
  const alone: Workload = { ...workload, operations };
  const stream = createStream(alone, {
    session: session + 2 * operation.number,
    sessions: 2 * operations.length,
  });
  const slots = createSlots(alone);
  return () => {
    stream.next(slots);
    return (slots[operation.number] ?? []).map(copyOf);
  };
}

function changesOf(
  workload: Workload,
  operation: ResolvedOperation,
  {
    argument,
    slot,
    edges: which,
  }: { readonly argument: ResolvedArgument; readonly slot: number; readonly edges: Edges },
): Change[] {
  if (argument.kind === 'scalar') {
    const changes = edgesOf(argument, which).map((edge): Change => (values) => [values.with(slot, edge)]);
    return [...changes, ...comparedWith(workload, operation, { name: argument.name, slot, edges: which })];
  }
  const lengths = [argument.min, argument.max].map((length): Change => (values) => [
    values.with(slot, cut(values[slot], length)),
  ]);
  const edges = argument.fields.flatMap((field, index) =>
    edgesOf(field, which).map((edge): Change => (values) => [
      values.with(slot, withField(values[slot], index, edge)),
    ]),
  );
  return [...lengths, ...edges];
}

function edgesOf({ type, generator }: ResolvedField, edges: Edges): ScalarValue[] {
  if (generator.kind === 'content' || type.kind === 'text' || type.kind === 'bytes') return [];
  if (type.kind === 'bool') return [false, true];
  if (generator.kind === 'choice') return [0, generator.options.length - 1];
  // Before and after every value that a server gives.
  const last = edges === 'all' ? 2n ** 63n - 1n : 2n ** 31n - 1n;
  if (generator.kind === 'replied') return [generator.initial, last];
  if (generator.kind === 'constant') return [];
  if (type.kind === 'key') {
    const lastKey = edges === 'all' ? 0xffff_ffff : 0x7fff_ffff;
    if (!('count' in generator)) return [0, lastKey];
    // A number that is not a key, such as a limit, stays in its range.
    if (generator.table === null) return [Number(generator.min), Number(generator.min) + generator.count - 1];
    return [0, generator.count - 1, generator.count, lastKey];
  }
  const ends = 'count' in generator ? [generator.min, generator.min + BigInt(generator.count) - 1n] : [];
  if (edges === 'own') return [...ends, 1n, last];
  return [...ends, -1n, 0n, 1n, last, -(2n ** 63n)];
}

/**
 * Where a rule compares the argument: with another argument the same value; with a column one below, the same, and
 * one above.
 */
function comparedWith(
  workload: Workload,
  operation: ResolvedOperation,
  { name, slot, edges }: { readonly name: string; readonly slot: number; readonly edges: Edges },
): Change[] {
  return operation.description.declines.flatMap(({ rule }): Change[] => {
    if (rule.kind !== 'less' && rule.kind !== 'equal') return [];
    const other = rule.left === name ? rule.right : rule.right === name ? rule.left : null;
    if (typeof other !== 'string') return [];
    const same = operation.arguments.findIndex((each) => each.name === other);
    if (same >= 0) return [(values) => [values.with(slot, values[same] ?? 0)]];
    return [
      (values, store) =>
        nearColumn(workload, operation, other, values, store)
          .filter((near) => edges === 'all' || typeof near !== 'bigint' || near > 0n)
          .map((near) => values.with(slot, near)),
    ];
  });
}

function nearColumn(
  workload: Workload,
  operation: ResolvedOperation,
  reference: string,
  values: Values,
  store: MemoryStore,
): ScalarValue[] {
  const [name, column] = reference.split('.');
  const row = operation.description.rows.find((each) => each.name === name);
  const table = workload.tables.find((each) => each.name === row?.table);
  if (row === undefined || table === undefined) return [];
  const key = row.keys.map((each) => {
    const value = values[operation.arguments.findIndex((argument) => argument.name === each)];
    return value === undefined || isListValue(value) ? 0 : value;
  });
  const found = store.get(table.number, key)?.[table.columns.findIndex((each) => each.name === column)];
  if (typeof found === 'number')
    return [found - 1, found, found + 1].filter((near) => near >= 0 && near < 2 ** 32);
  return typeof found === 'bigint' ? [found - 1n, found, found + 1n] : [];
}

function cut(value: Value | undefined, length: number): Value {
  return isListValue(value) ? { length: Math.min(length, longest(value)), fields: value.fields } : 0;
}

function withField(value: Value | undefined, field: number, edge: ScalarValue): Value {
  if (!isListValue(value) || value.length === 0) return value ?? 0;
  return {
    length: value.length,
    fields: value.fields.map((each, index) => (index === field ? each.with(0, edge) : each)),
  };
}

function longest(value: ListValue): number {
  return Math.max(0, ...value.fields.map((each) => each.length));
}

/** A value that its owner does not reuse. */
export function copyOf(value: Value): Value {
  if (value instanceof Uint8Array) return value.slice();
  if (!isListValue(value)) return value;
  return {
    length: value.length,
    fields: value.fields.map((each) =>
      each.slice(0, value.length).map((cell) => (cell instanceof Uint8Array ? cell.slice() : cell)),
    ),
  };
}
