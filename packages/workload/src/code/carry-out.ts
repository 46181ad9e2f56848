import { nothingAt } from '../nothing-at.ts';
import type { ScalarValue, Values } from '@fair-bench/contract';
import type { ResolvedOperation, Workload } from '../resolved.ts';
import type { CodeStore, ModelRow } from '../store.ts';
import { argumentNamer } from './named.ts';
import type { Arguments, Expected, Named, OperationCode, Program } from './program.ts';
import { programIn } from './seeds.ts';
import { CodeTables, CodeTransaction, Declined } from './transaction.ts';

/** What an operation in code has done. */
export type CarriedOut =
  /** `rows`: by field, in declared order, null where the server gives it. Nothing is stored before `commit`. */
  | { readonly kind: 'applied'; readonly rows: readonly ModelRow[]; readonly transaction: CodeTransaction }
  | { readonly kind: 'declined'; readonly reason: string };

/** An operation with its functions. */
interface Bound {
  readonly operation: ResolvedOperation;
  readonly code: OperationCode;
  readonly argumentsOf: (values: Values) => Arguments;
  /** The names of its reply's fields. */
  readonly fields: readonly string[];
}

/** Carries the operations of a workload in code out, on any store. */
export class CodeOperations {
  readonly program: Program;
  readonly tables: CodeTables;
  readonly #operations: readonly Bound[];

  constructor(workload: Workload) {
    const program = programIn(workload);
    if (program === null) throw new Error(`workload ${workload.name}: its operations are not in code`);
    this.program = program;
    this.tables = new CodeTables(workload);
    this.#operations = workload.operations.map((operation) => bound(operation, program));
  }

  at(number: number): Bound {
    return this.#operations[number] ?? nothingAt(number);
  }

  /** Throws where the workload's own function is wrong, or cannot have done this here. */
  carryOut(
    number: number,
    values: Values,
    store: CodeStore,
    reply: readonly Named[] | null,
    old?: ReadonlyMap<string, ModelRow>,
  ): CarriedOut {
    const { operation, code, argumentsOf, fields } = this.at(number);
    const writes = operation.description.code?.writes ?? {};
    const transaction = new CodeTransaction(store, this.tables, { name: operation.name, writes }, old);
    try {
      const expected = code.does(transaction, argumentsOf(values), reply) ?? [];
      const rows = isRows(expected) ? expected : [expected];
      return { kind: 'applied', rows: rows.map((row) => valuesOf(row, fields, operation.name)), transaction };
    } catch (error) {
      if (!(error instanceof Declined)) throw error;
      if (operation.reasons.includes(error.reason)) return { kind: 'declined', reason: error.reason };
      throw new Error(
        `operation ${operation.name} declines with "${error.reason}", which is not one of its reasons (${operation.reasons.join(', ')})`,
        { cause: error },
      );
    }
  }
}

function bound(operation: ResolvedOperation, program: Program): Bound {
  const code = program.operations[operation.name];
  if (code === undefined) throw new Error(`operation ${operation.name} has no function that carries it out`);
  const { returns } = operation;
  return {
    operation,
    code,
    argumentsOf: argumentNamer(operation.name, operation.arguments),
    fields: 'fields' in returns ? returns.fields.map(({ name }) => name) : [],
  };
}

function isRows(expected: Expected | readonly Expected[]): expected is readonly Expected[] {
  return Array.isArray(expected);
}

function valuesOf(row: Expected, fields: readonly string[], operation: string): (ScalarValue | null)[] {
  const unknown = Object.keys(row).find((name) => !fields.includes(name));
  if (unknown !== undefined)
    throw new Error(`operation ${operation} returns no "${unknown}"; it returns ${fields.join(', ')}`);
  return fields.map((name) => row[name] ?? null);
}
