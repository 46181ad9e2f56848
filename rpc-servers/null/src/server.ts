import {
  applied,
  type BatchedOperation,
  type ColumnShape,
  columnsOf,
  type OperationOutcome,
  refused,
  type Row,
  type ScalarValue,
  tableAt,
  type Values,
  type WorkloadShape,
} from '@fair-bench/contract';
import type { EngineTables, RpcBackend, RpcServerImplementation } from '@fair-bench/rpc/server';
import {
  lackOfCode,
  Model,
  type ModelRow,
  parseDescription,
  workloadWithDefaults,
} from '@fair-bench/workload/execution';
import { nullServerSettingsSchema, type NullServerSettings } from './settings.ts';
import { type Compiled, compileOperation } from './compile.ts';
import { Memory } from './memory.ts';
import { PreciseDelay } from './precise-delay.ts';

const rowsPerPage = 10_000;

/** The model over rows in memory and no database: the ceiling of everything measured through the RPC protocol. */
export const nullServer: RpcServerImplementation<NullServerSettings> = {
  name: 'null',
  settingsSchema: nullServerSettingsSchema,
  openBackend: (settings, { workload }) => Promise.resolve(new NullBackend(settings, workload)),
};

/** Why this server cannot execute a workload; null if it can. Throws for what is no description. */
export function lackFor(json: unknown): string | null {
  const description = parseDescription(json, 'null');
  const { name, operations } = description;
  const lack = lackOfCode(description);
  if (lack !== null) return lack;
  const finds = operations.find(
    ({ returns }) =>
      (returns.kind === 'row' && returns.by !== undefined) ||
      (returns.kind === 'scan' && returns.until !== undefined),
  );
  if (finds === undefined) return null;
  return `the operation ${finds.name} of ${name} finds rows by an id or a time that the server gives, and this one gives none`;
}

class NullBackend implements RpcBackend {
  readonly #shape: WorkloadShape;
  readonly #memory: Memory;
  readonly #model: Model;
  readonly #compiled: readonly (Compiled | null)[];
  readonly #delayMs: number;
  readonly #delay: PreciseDelay | null;
  readonly tables: EngineTables;

  constructor({ delayMs, description }: NullServerSettings, shape: WorkloadShape) {
    const workload = workloadWithDefaults(description, 'null');
    this.#shape = shape;
    this.#memory = new Memory(shape.tables);
    this.tables = memoryTables(this.#memory, shape);
    this.#model = new Model(workload, this.#memory);
    this.#compiled = workload.operations.map((operation) =>
      compileOperation(workload, operation, this.#memory),
    );
    this.#delayMs = delayMs;
    this.#delay = delayMs > 0 ? new PreciseDelay(delayMs) : null;
  }

  execute(operation: number, values: Values): OperationOutcome | Promise<OperationOutcome> {
    if (this.#delay === null) return this.#answer(operation, values);
    return this.#delay.wait().then(() => this.#answer(operation, values));
  }

  executeBatch(
    operations: readonly BatchedOperation[],
  ): readonly OperationOutcome[] | Promise<readonly OperationOutcome[]> {
    const answers = (): readonly OperationOutcome[] =>
      operations.map(({ operation, values }) => this.#answer(operation, values));
    return this.#delay === null ? answers() : this.#delay.wait().then(answers);
  }

  settings(): Promise<Record<string, string>> {
    return Promise.resolve({ delayMs: String(this.#delayMs) });
  }

  recycle(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#delay?.close();
    return Promise.resolve();
  }

  #answer(number: number, values: Values): OperationOutcome {
    const compiled = this.#compiled[number] ?? null;
    if (compiled !== null) return compiled(values);
    const operation = this.#shape.operations[number];
    if (operation === undefined) return refused('invalid-request', `there is no operation ${number}`);
    const outcome = this.#model.execute(number, values);
    if (outcome.kind === 'fault') return refused(outcome.code, outcome.message);
    if (outcome.kind === 'declined') return { kind: 'declined', reason: outcome.reason, retries: 0 };
    const { returns } = operation;
    if (returns.kind === 'nothing') return applied;
    if (returns.kind === 'fields') {
      const [found] = outcome.rows ?? [];
      const fields = returns.fields.map(({ type }, place) => found?.[place] ?? nothingOf(type));
      return { kind: 'applied', reply: { kind: 'fields', fields }, retries: 0 };
    }
    const columns = columnsOf(this.#shape, returns);
    const rows = (outcome.rows ?? []).map((row) => wholeRow(row, columns));
    return { kind: 'applied', reply: { kind: 'rows', rows }, retries: 0 };
  }
}

function memoryTables(memory: Memory, shape: WorkloadShape): EngineTables {
  const whole = (table: number, rows: readonly ModelRow[]): Row[] =>
    rows.map((row) => wholeRow(row, tableAt('null', shape.tables, table).columns));
  return {
    async load(table, pages) {
      for await (const page of pages) for (const row of page) memory.put(table, row);
    },
    clear: (table) => Promise.resolve(memory.clear(table)),
    async *scan(table) {
      const rows = whole(table, memory.rows(table));
      for (let from = 0; from < rows.length; from += rowsPerPage) {
        yield await Promise.resolve(rows.slice(from, from + rowsPerPage));
      }
    },
    read(table, keys) {
      const found = keys.map((key) => memory.get(table, key)).filter((row) => row !== null);
      return Promise.resolve(whole(table, found));
    },
    replace(table, rows) {
      for (const row of rows) memory.put(table, row);
      return Promise.resolve();
    },
  };
}

/** A column that an operation leaves to the server has an arbitrary value. */
function wholeRow(row: ModelRow, columns: readonly ColumnShape[]): Row {
  return columns.map(({ type }, place) => row[place] ?? nothingOf(type));
}

function nothingOf({ kind }: ColumnShape['type']): ScalarValue {
  if (kind === 'int64') return 0n;
  if (kind === 'key') return 0;
  if (kind === 'bool') return false;
  return kind === 'text' ? '' : new Uint8Array(0);
}
