import { readFileSync } from 'node:fs';
import type { ArgumentShape, ColumnShape, OperationShape } from '@fair-bench/contract';
import { z } from 'zod';

/** The schema of all our objects in a database. */
export const ourSchema = 'fair_bench';

/** A workload's `postgres.sql`, read. */
export interface SqlBinding {
  /** What is run once: functions. */
  readonly script: string;
  /** Statements by operation, each with `$1 …`; an operation without one calls the function of its name. */
  readonly statements: Statements;
}

export const statementsSchema = z.record(z.string(), z.string());
export type Statements = Readonly<Record<string, string>>;

const heading = /^-- operation: *([a-z][a-z0-9_]*) *$/m;

/** Reads `postgres.sql`: a script, then for each `-- operation: <name>` one statement. */
export function readSqlBinding(path: string): SqlBinding {
  const [script = '', ...rest] = readFileSync(path, 'utf8').split(heading);
  const statements: Record<string, string> = {};
  for (let place = 0; place + 1 < rest.length; place += 2) {
    statements[rest[place] ?? ''] = (rest[place + 1] ?? '').trim().replace(/;$/, '');
  }
  return { script, statements };
}

/** The statement of an operation. */
export function statementOf(operation: OperationShape, statements: Statements): string {
  const own = statements[operation.name];
  if (own !== undefined) return own;
  // With types, because node-postgres would otherwise send text.
  const parameters = operation.arguments
    .flatMap(typesOf)
    .map((type, index) => `$${index + 1}::${sqlTypeOf(type)}`);
  const columns = operation.returns.kind === 'nothing' ? '' : '* FROM ';
  return `SELECT ${columns}${ourSchema}.${operation.name}(${parameters.join(', ')})`;
}

/** The parameters of an argument: one, or for a list one array per field. */
export function typesOf(argument: ArgumentShape): readonly ParameterType[] {
  if (argument.kind === 'scalar') return [{ kind: argument.type.kind, isArray: false }];
  return argument.fields.map(({ type }) => ({ kind: type.kind, isArray: true }));
}

/** `bigint`, `text[]`. */
export function sqlTypeOf({ kind, isArray }: ParameterType): string {
  return `${sqlTypes[kind].name}${isArray ? '[]' : ''}`;
}

export interface ParameterType {
  readonly kind: ColumnShape['type']['kind'];
  readonly isArray: boolean;
}

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
