import type { Client } from 'pg';
import { z } from 'zod';
import {
  type ColumnShape,
  columnsOf,
  InputError,
  type OperationShape,
  type WorkloadShape,
  messageOf,
  ourSchema,
} from '@fair-bench/contract';
import { readSqlBinding, runScript, statementOf, type Statements, typesOf } from '@fair-bench/sql';
import { batchFunction } from './batch.ts';
import { describeMessages } from './messages.ts';
import { type Described, exchange } from './exchange.ts';
import { dialect, sqlTypeOf, sqlTypes } from './statements.ts';

/**
 * Installs the operations of a workload from its `postgres.sql`, all or none: runs the script in place of existing
 * functions, lets the server check each operation's statement and, where some are sent in batches, makes the function of a batch. Rejects with an InputError that names file,
 * operation, place and remedy.
 */
export async function installBinding(
  client: Client,
  path: string,
  {
    workload,
    hasBatches,
    kept,
  }: {
    readonly workload: WorkloadShape;
    readonly hasBatches: boolean;
    /** The numbers of functions that are no operations: those of the user's tables. */
    readonly kept: readonly string[];
  },
): Promise<void> {
  const { script, statements } = readSqlBinding(path);
  await client.query('BEGIN');
  await dropFunctions(client, kept);
  await runScript(path, script, 'PostgreSQL', async (text) => await client.query(text));
  const columns: number[] = [];
  for (const operation of workload.operations) {
    try {
      const described = await exchange(client, describeMessages(operation, statements));
      checkColumns(statementColumns(workload, operation), described);
      columns.push(described.length);
    } catch (cause) {
      const statement = statementOf(operation, statements, dialect);
      throw new InputError(
        `${path}: operation ${operation.name}: ${statement}: ${messageOf(cause)}; ${remedyOf(workload, operation, statements)}`,
        { cause },
      );
    }
  }
  if (hasBatches) await client.query(batchFunction(workload, statements, columns));
  await client.query('COMMIT');
}

const dropsSchema = z.array(z.object({ text: z.string() }));

/** One that depends on another, as a function of SQL does, is dropped with it. */
async function dropFunctions(client: Client, kept: readonly string[]): Promise<void> {
  const { rows } = await client.query(
    `SELECT format('DROP ROUTINE IF EXISTS %s CASCADE', oid::regprocedure) AS text FROM pg_catalog.pg_proc
     WHERE pronamespace = to_regnamespace('${ourSchema()}') AND NOT oid::text = ANY ($1)`,
    [kept],
  );
  for (const { text } of dropsSchema.parse(rows)) await client.query(text);
}

/** The columns that an operation's statement must return; null if it returns nothing. */
function statementColumns(
  workload: WorkloadShape,
  { returns, reasons }: OperationShape,
): readonly ColumnShape[] | null {
  if (returns.kind === 'nothing') return null;
  const columns = columnsOf(workload, returns);
  return reasons.length === 0
    ? columns
    : [{ name: 'declined', type: { kind: 'text', length: 0 } }, ...columns];
}

function checkColumns(expected: readonly ColumnShape[] | null, got: Described): void {
  const isText = got.every(({ dataTypeID }) => dataTypeID === sqlTypes.text.oid);
  const fits =
    expected === null
      ? got.length <= 1 && isText
      : got.length === expected.length &&
        expected.every(
          ({ name, type }, place) =>
            got[place]?.name === name && got[place].dataTypeID === sqlTypes[type.kind].oid,
        );
  if (!fits) throw new Error(`it returns (${got.map(describedColumn).join(', ')})`);
}

function describedColumn({ name, dataTypeID }: Described[number]): string {
  const type = Object.values(sqlTypes).find(({ oid }) => oid === dataTypeID);
  return `${name} ${type?.name ?? `of the type with the number ${dataTypeID}`}`;
}

function remedyOf(workload: WorkloadShape, operation: OperationShape, statements: Statements): string {
  const columns = statementColumns(workload, operation);
  const listed = columns?.map(({ name, type }) => `${name} ${sqlTypes[type.kind].name}`).join(', ');
  if (statements[operation.name] !== undefined) {
    return `have it return ${listed === undefined ? 'nothing, or a reason as text' : `(${listed})`}`;
  }
  // A function's argument and a column of its table may not share a name; calls are by position.
  const taken = new Set(columns?.map(({ name }) => name));
  const parameters = operation.arguments.flatMap((argument) => {
    const name = taken.has(argument.name) ? `${argument.name}_argument` : argument.name;
    return typesOf(argument, dialect).map((type) => `${name} ${sqlTypeOf(type)}`);
  });
  const result = listed === undefined ? 'text' : `TABLE (${listed})`;
  return `CREATE FUNCTION ${ourSchema()}.${operation.name}(${parameters.join(', ')}) RETURNS ${result}`;
}
