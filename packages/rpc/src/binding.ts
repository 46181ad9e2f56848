import type { ScalarValue } from '@fair-bench/contract';
export type { Arguments, ArgumentValue } from './codec/codec.ts';

/** A row or fields, by the names of the columns. */
export type NamedRow = Readonly<Record<string, ScalarValue>>;

/** What an operation came to: `null` for applied, a decline, or applied with what it returns. */
export type Result =
  | null
  | { readonly declined: string }
  | { readonly rows: readonly NamedRow[] }
  | { readonly fields: NamedRow };

/** Carries one operation out in one transaction; throws what the database threw. */
export type OperationFunction = {
  // As a method: a binding names the arguments, which are `Arguments`, in a type of its own.
  run(values: object): Result | Promise<Result>;
}['run'];

export type Operations = Readonly<Record<string, OperationFunction>>;

/** The default export of a binding's file: how a workload's operations are carried out over a `Client`. */
export interface Binding<Client> {
  readonly workload: string;
  /** Called once for each connection: prepare statements here. */
  bind(client: Client): Operations;
}
