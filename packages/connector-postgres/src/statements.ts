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
  // Without the digits of a decimal: the column may have more, which must be seen.
  read: (column, type) => `CAST(${column} AS ${type.replace(/\(.*/, '')})`,
  mayCreateSchema: "SELECT 1 WHERE has_database_privilege(current_database(), 'CREATE')",
  mayFillSchema: (schema) => `SELECT 1 WHERE has_schema_privilege('${schema}', 'CREATE')`,
  // Tables take their indexes and sequences with them; our marks come last.
  dropsIn: (schema) => `SELECT text FROM (
    SELECT 1 AS place, format('DROP ROUTINE IF EXISTS %s CASCADE', oid::regprocedure) AS text
      FROM pg_catalog.pg_proc AS p WHERE pronamespace = '${schema}'::regnamespace
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d WHERE d.objid = p.oid AND d.deptype = 'e')
    UNION ALL SELECT 0, format('DROP EXTENSION IF EXISTS %I CASCADE', extname)
      FROM pg_catalog.pg_extension WHERE extnamespace = '${schema}'::regnamespace
    UNION ALL SELECT CASE WHEN relname LIKE '%\\_by\\_fair\\_bench' THEN 4 ELSE 2 END,
      format('DROP %s IF EXISTS %I.%I CASCADE', CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW'
        WHEN 'S' THEN 'SEQUENCE' WHEN 'f' THEN 'FOREIGN TABLE' WHEN 'c' THEN 'TYPE' ELSE 'TABLE' END, '${schema}', relname)
      FROM pg_catalog.pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f', 'c')
    UNION ALL SELECT 3, format('DROP TYPE IF EXISTS %I.%I CASCADE', '${schema}', typname)
      FROM pg_catalog.pg_type WHERE typnamespace = '${schema}'::regnamespace AND typtype IN ('d', 'e', 'r')
  ) AS drops ORDER BY place, text DESC`,
  snapshot: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  lists: 'arrays',
};

/** As the table of parity names them. */
export const wireProtocols: Readonly<Record<StatementProtocol, string>> = {
  prepared: 'postgresql v3 extended, prepared, pipelined',
  extended: 'postgresql v3 extended, pipelined',
  simple: 'postgresql v3 simple, pipelined',
};
