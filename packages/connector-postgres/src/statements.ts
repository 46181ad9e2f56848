import type { StatementProtocol } from '@fair-bench/contract';
import type { Dialect, ParameterType } from '@fair-bench/sql';

/** PostgreSQL's types, with the numbers of each and of its array. */
export const sqlTypes: Readonly<
  Record<ParameterType['kind'], { readonly name: string; readonly oid: number; readonly arrayOid: number }>
> = {
  key: { name: 'bigint', oid: 20, arrayOid: 1016 },
  int64: { name: 'bigint', oid: 20, arrayOid: 1016 },
  bool: { name: 'boolean', oid: 16, arrayOid: 1000 },
  text: { name: 'text', oid: 25, arrayOid: 1009 },
  bytes: { name: 'bytea', oid: 17, arrayOid: 1001 },
};

/** `bigint`, `text[]`. */
export function sqlTypeOf({ kind, isArray }: ParameterType): string {
  return `${sqlTypes[kind].name}${isArray ? '[]' : ''}`;
}

export const dialect: Dialect = {
  cascade: 'CASCADE',
  // With types, because node-postgres would otherwise send text.
  parameter: (number, type) => `$${number}::${sqlTypeOf(type)}`,
  typeOf: ({ kind }) => sqlTypes[kind].name,
  snapshot: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  lists: 'arrays',
};

/** As the table of parity names them. */
export const wireProtocols: Readonly<Record<StatementProtocol, string>> = {
  prepared: 'postgresql v3 extended, prepared, pipelined',
  extended: 'postgresql v3 extended, pipelined',
  simple: 'postgresql v3 simple, pipelined',
};
