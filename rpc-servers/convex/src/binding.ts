import {
  mutationGeneric,
  type GenericTableSearchIndexes,
  type GenericTableVectorIndexes,
  type MutationBuilder,
} from 'convex/server';
import type { GenericId, Value } from 'convex/values';

/** The columns of a table, and its key: the index `by_key` finds a row by these columns. */
export interface Table {
  readonly row: Readonly<Record<string, Value>>;
  readonly key: readonly string[];
}

/** The result of an operation: `null` for applied, a decline, or its described reply. */
export type Result =
  | null
  | { readonly declined: string }
  | { readonly rows: readonly Readonly<Record<string, Value>>[] }
  | { readonly fields: Readonly<Record<string, Value>> };

type Document<Name extends string, Row> = Row & { _id: GenericId<Name>; _creationTime: number };

type DataModelOf<Tables extends Readonly<Record<string, Table>>> = {
  [Name in keyof Tables & string]: {
    document: Document<Name, Tables[Name]['row']>;
    fieldPaths: (keyof Tables[Name]['row'] & string) | '_id' | '_creationTime';
    indexes: { by_key: [...Tables[Name]['key'], '_creationTime'] };
    searchIndexes: GenericTableSearchIndexes;
    vectorIndexes: GenericTableVectorIndexes;
  };
};

/**
 * Types Convex's own `mutation` by the workload's tables: `const mutation = mutationOn<{ item: { row: …; key: ['id']
 * } }>()`. A binding exports one mutation per operation, under its name. A read is a mutation that writes nothing: a
 * query of the official client is a subscription, whose result the client caches.
 */
export function mutationOn<Tables extends Readonly<Record<string, Table>>>(): MutationBuilder<
  DataModelOf<Tables>,
  'public'
> {
  return mutationGeneric;
}
