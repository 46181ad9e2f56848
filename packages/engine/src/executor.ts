import {
  applied,
  type BatchedOperation,
  declinesOf,
  inDoubt,
  isListValue,
  messageOf,
  type OperationOutcome,
  refused,
  type Reply,
  type Row,
  type TableShape,
  type Values,
} from '@fair-bench/contract';
import {
  bindOperations,
  type BoundOperation,
  evaluate,
  Model,
  type ModelOutcome,
  type ModelRow,
  type ScanRange,
  type Store,
  lackOfCode,
  type Workload,
} from '@fair-bench/workload/execution';
import { type Lookup, lookupOf } from './lookup.ts';
import { StoredTable } from './stored-rows.ts';
import type { Engine, Entry, Reads, Writes } from './system.ts';

/** Throws for an operation that returns what only a binding of its own could compute. */
export function refuseReplies(workload: Workload): void {
  const lack = lackOfCode(workload.description);
  if (lack !== null) throw new Error(lack);
  for (const { operation, returns, found } of bindOperations(workload)) {
    const which = `the operation ${operation.name} of ${workload.name}`;
    if (returns.kind === 'chosen-rows' || found.includes(null)) {
      throw new Error(`${which} returns what its description leaves to the server`);
    }
    if (operation.description.rows.some(({ keys }) => keys.length === 0)) {
      throw new Error(
        `${which} finds a row without its key, which an engine without a server does not skip while another holds it`,
      );
    }
  }
}

export function storedTables(tables: readonly TableShape[]): readonly StoredTable[] {
  return tables.map((table, number) => new StoredTable(number, table));
}

/** Carries a workload's operations out on an engine: by the model, each operation or batch as one transaction. */
export class Executor {
  readonly #engine: Engine;
  readonly #store: EngineStore;
  readonly #model: Model;
  readonly #operations: readonly Executable[];

  constructor(workload: Workload, engine: Engine) {
    this.#engine = engine;
    this.#store = new EngineStore(storedTables(workload.tables));
    this.#model = new Model(workload, this.#store);
    this.#operations = bindOperations(workload).map((bound) => executableOf(bound));
  }

  /** Never throws or rejects. A promise only where the engine gives one. */
  execute(number: number, values: Values): OperationOutcome | Promise<OperationOutcome> {
    const operation = this.#operations[number];
    const refusal = refusalOf(operation, values);
    if (operation === undefined || refusal !== null) return refusal ?? noOperation;
    return operation.writes ? this.#write(operation, values) : this.#read(operation, values);
  }

  /**
   * One after the other in one transaction, which is committed once: an outcome for each, in the same order. Where one fails,
   * all do, and none is applied. Never throws or rejects. A promise only where the engine gives one.
   */
  executeBatch(
    batch: readonly BatchedOperation[],
  ): readonly OperationOutcome[] | Promise<readonly OperationOutcome[]> {
    let writes = false;
    let fault: OperationOutcome | null = null;
    for (const { operation: number, values } of batch) {
      const operation = this.#operations[number];
      fault ??= refusalOf(operation, values);
      writes ||= operation?.writes === true;
    }
    const ofAll = (one: OperationOutcome): readonly OperationOutcome[] => batch.map(() => one);
    if (fault !== null) return ofAll(fault);
    let isCarriedOut = false;
    const failed = (error: unknown): readonly OperationOutcome[] =>
      ofAll(fault ?? (isCarriedOut && writes ? inDoubt : refused)('server-error', messageOf(error)));
    const carriedOut = (outcomes: readonly OperationOutcome[]): readonly OperationOutcome[] => {
      fault = outcomes.find(({ kind }) => kind === 'fault') ?? null;
      // So that the engine undoes the others.
      if (fault !== null) throw new Error('an operation of the batch failed');
      isCarriedOut = true;
      return outcomes;
    };
    const act = (
      rows: Reads | Writes,
    ): readonly OperationOutcome[] | Promise<readonly OperationOutcome[]> => {
      const outcomes = this.#inTurn(batch, rows, []);
      return outcomes instanceof Promise ? outcomes.then(carriedOut) : carriedOut(outcomes);
    };
    try {
      const outcomes = writes ? this.#engine.transact(act) : this.#engine.atOneMoment(act);
      return outcomes instanceof Promise ? outcomes.catch(failed) : outcomes;
    } catch (error) {
      return failed(error);
    }
  }

  /** From the first one without an outcome on. */
  #inTurn(
    batch: readonly BatchedOperation[],
    rows: Reads | Writes,
    outcomes: OperationOutcome[],
  ): readonly OperationOutcome[] | Promise<readonly OperationOutcome[]> {
    while (outcomes.length < batch.length) {
      const { operation: number, values } = batch[outcomes.length] ?? noBatched;
      const operation = this.#operations[number];
      const outcome = operation === undefined ? noOperation : this.#carryOut(operation, rows, values);
      if (outcome instanceof Promise) {
        return outcome.then((one) => this.#inTurn(batch, rows, [...outcomes, one]));
      }
      outcomes.push(outcome);
    }
    return outcomes;
  }

  #write(operation: Executable, values: Values): OperationOutcome | Promise<OperationOutcome> {
    // Whether its commit has begun: what fails before is undone.
    let isCarriedOut = false;
    const failed = (error: unknown): OperationOutcome =>
      (isCarriedOut ? inDoubt : refused)('server-error', messageOf(error));
    try {
      const outcome = this.#engine.transact((writes) => {
        const carriedOut = this.#carryOut(operation, writes, values);
        isCarriedOut = true;
        return carriedOut;
      });
      return outcome instanceof Promise ? outcome.catch(failed) : outcome;
    } catch (error) {
      return failed(error);
    }
  }

  /** As `execute`, but a reply is valid until the next call. */
  executeNow(number: number, values: Values): OperationOutcome | Promise<OperationOutcome> {
    const lookup = this.#operations[number]?.lookup ?? null;
    return lookup === null ? this.execute(number, values) : this.#lookUp(lookup, values);
  }

  /** What the model does for an operation that returns a row by its key, and does nothing else. */
  #lookUp({ found, table: { number }, keys }: Lookup, values: Values): OperationOutcome {
    try {
      const key = evaluate(keys, values);
      const table = this.#store.table(number);
      const value = this.#engine.get(table.lookupKeyOf(key));
      if (value === undefined) return noRow;
      found.reply.stored = table.cellsOf(key, value);
      return found;
    } catch (error) {
      return notRead(error);
    }
  }

  #read(operation: Executable, values: Values): OperationOutcome | Promise<OperationOutcome> {
    try {
      const outcome = operation.readsOnce
        ? this.#carryOut(operation, this.#engine, values)
        : this.#engine.atOneMoment((reads) => this.#carryOut(operation, reads, values));
      return outcome instanceof Promise ? outcome.catch(notRead) : outcome;
    } catch (error) {
      return notRead(error);
    }
  }

  /** The model asks for the rows of a scan at once: they are read before. */
  #carryOut(
    operation: Executable,
    rows: Reads | Writes,
    values: Values,
  ): OperationOutcome | Promise<OperationOutcome> {
    const { returns } = operation.bound;
    if (returns.kind !== 'scan') return this.#carryOutOn(operation, rows, values, noRows);
    const table = this.#store.table(returns.table.number);
    const range: ScanRange = {
      from: evaluate(returns.from, values),
      prefix: evaluate(returns.prefix, values),
      descending: returns.descending,
      limit: Number(returns.limit(values, 0)),
    };
    const carryOut = (entries: readonly Entry[]): OperationOutcome =>
      this.#carryOutOn(
        operation,
        rows,
        values,
        entries.map((entry) => table.rowOfEntry(entry)),
      );
    const entries = rows.range(table.rangeOf(range));
    return entries instanceof Promise ? entries.then(carryOut) : carryOut(entries);
  }

  #carryOutOn(
    { bound, outcomeOf }: Executable,
    rows: Reads | Writes,
    values: Values,
    scanned: ModelRow[],
  ): OperationOutcome {
    this.#store.use(rows, scanned);
    return outcomeOf(this.#model.execute(bound.operation.number, values));
  }
}

const noRows: ModelRow[] = [];
const noBatched: BatchedOperation = { operation: -1, values: [] };
const noRow: OperationOutcome = { kind: 'applied', reply: { kind: 'rows', rows: [] }, retries: 0 };
const noOperation = refused('invalid-request', 'there is no such operation');
const tooLarge = refused('invalid-request', 'an integer does not fit into 64 bits');

/** What refuses an operation before any rule; null almost always. */
function refusalOf(operation: Executable | undefined, values: Values): OperationOutcome | null {
  if (operation === undefined) return noOperation;
  return operation.hasIntegers && hasIntegersBeyond64Bits(values) ? tooLarge : null;
}

function notRead(error: unknown): OperationOutcome {
  return refused('server-error', messageOf(error));
}

interface Executable {
  readonly bound: BoundOperation;
  readonly writes: boolean;
  /** Whether it has an argument that may be too large. */
  readonly hasIntegers: boolean;
  /** Whether one reading of the engine is all that it does. */
  readonly readsOnce: boolean;
  /** Null where it may be refused, or does more. */
  readonly lookup: Lookup | null;
  readonly outcomeOf: (outcome: ModelOutcome) => OperationOutcome;
}

function executableOf(bound: BoundOperation): Executable {
  const { operation, returns, rules } = bound;
  const { arguments: all, writes } = operation;
  const isInt64 = (type: { readonly kind: string }): boolean => type.kind === 'int64';
  const declines = declinesOf(operation);
  const hasIntegers = all.some((one) =>
    one.kind === 'scalar' ? isInt64(one.type) : one.fields.some(({ type }) => isInt64(type)),
  );
  return {
    bound,
    writes,
    hasIntegers,
    readsOnce: rules.length === 0 && returns.kind !== 'fields',
    lookup: hasIntegers ? null : lookupOf(bound),
    outcomeOf(outcome) {
      if (outcome.kind === 'fault') return refused(outcome.code, outcome.message);
      if (outcome.kind === 'declined') {
        return declines.get(outcome.reason) ?? refused('internal', `it has no reason ${outcome.reason}`);
      }
      const { rows } = outcome;
      if (rows === null) return applied;
      if (!rows.every(isKnown)) return refused('internal', 'a value that it returns is unknown');
      const [fields = []] = rows;
      const reply: Reply = returns.kind === 'fields' ? { kind: 'fields', fields } : { kind: 'rows', rows };
      return { kind: 'applied', reply, retries: 0 };
    },
  };
}

/** A transaction as the model's storage: each row as its bytes. */
class EngineStore implements Store {
  readonly #tables: readonly StoredTable[];
  #rows: Reads | Writes | null = null;
  #scanned: ModelRow[] = [];

  constructor(tables: readonly StoredTable[]) {
    this.#tables = tables;
  }

  /** For the operation that is carried out next: `scanned` is what its scan gives. */
  use(rows: Reads | Writes, scanned: ModelRow[]): void {
    this.#rows = rows;
    this.#scanned = scanned;
  }

  get(number: number, key: Row): ModelRow | null {
    const table = this.table(number);
    const value = this.#rows?.get(table.lookupKeyOf(key));
    return value === undefined ? null : table.rowOf(key, value);
  }

  put(number: number, row: ModelRow): void {
    const table = this.table(number);
    this.#writes().put(table.keyOf(row), table.valueOf(row));
  }

  remove(number: number, key: Row): void {
    this.#writes().remove(this.table(number).keyOf(key));
  }

  #writes(): Writes {
    const rows = this.#rows;
    if (rows === null || !('put' in rows)) throw new Error('an operation that only reads writes a row');
    return rows;
  }

  range(): ModelRow[] {
    return this.#scanned;
  }

  table(number: number): StoredTable {
    const table = this.#tables[number];
    if (table === undefined) throw new Error(`the workload has no table ${number}`);
    return table;
  }
}

/** Nothing that an operation returns is left to the server. */
function isKnown(row: ModelRow): row is Row {
  return !row.includes(null);
}

function hasIntegersBeyond64Bits(values: Values): boolean {
  return values.some((value) => {
    if (isListValue(value)) return value.fields.some((field) => hasIntegersBeyond64Bits(field));
    return typeof value === 'bigint' && BigInt.asIntN(64, value) !== value;
  });
}
