import type { ScalarValue } from '@fair-bench/contract';
export type { Arguments, ArgumentValue } from './codec/codec.ts';

/** A row or fields, by the names of the columns. */
export type NamedRow = Readonly<Record<string, ScalarValue>>;

/** The result of an operation: `null` for applied, a decline, or applied with its reply. */
export type Result =
  | null
  | { readonly declined: string }
  | { readonly rows: readonly NamedRow[] }
  | { readonly fields: NamedRow };

/** Executes one operation in one transaction; throws the database's errors. */
export type OperationFunction = {
  // As a method, so that a binding can give `Arguments` its own type.
  run(values: object): Result | Promise<Result>;
}['run'];

export type Operations = Readonly<Record<string, OperationFunction>>;

/** The default export of a binding's file: how a workload's operations run over a `Client`. */
export interface Binding<Client> {
  readonly workload: string;
  /** Called once for each connection: prepare statements here. */
  bind(client: Client): Operations;
}

/** Makes a binding of a workload's operations over a `Client`. */
export function bindOperations<Client>(
  { name }: { readonly name: string },
  bind: (client: Client) => Operations,
): Binding<Client> {
  return { workload: name, bind };
}

/** A statement that an ORM has prepared; its values have the names of its placeholders. */
interface Prepared<Found> {
  execute(values: Record<string, unknown>): Promise<Found>;
}

/** An operation of one statement, which returns nothing. */
export function applies(statement: Prepared<unknown>): OperationFunction {
  return async (values) => {
    await statement.execute({ ...values });
    return null;
  };
}

/** An operation of one statement, which returns its rows. */
export function returnsRows(statement: Prepared<readonly NamedRow[]>): OperationFunction {
  return async (values) => ({ rows: await statement.execute({ ...values }) });
}
