import type { Client } from 'pg';
import { z } from 'zod';
import { type ColumnShape, InputError, type OperationShape, type WorkloadShape } from '@fair-bench/contract';
import { reasonOf } from '@fair-bench/session';
import { describeMessages } from './messages.ts';
import { type Described, exchange } from './exchange.ts';
import {
  ourSchema,
  readSqlBinding,
  sqlTypeOf,
  sqlTypes,
  statementOf,
  type Statements,
  typesOf,
} from './statements.ts';

/**
 * Installs the operations of a workload from its `postgres.sql`, all or none: runs the script in place of existing
 * functions, and lets the server check each operation's statement. Rejects with an InputError that names file,
 * operation, place and remedy.
 */
export async function installBinding(client: Client, path: string, workload: WorkloadShape): Promise<void> {
  const { script, statements } = readSqlBinding(path);
  await client.query('BEGIN');
  await dropFunctions(client);
  for (const part of partsOf(script)) {
    try {
      await client.query(part.text);
    } catch (cause) {
      throw refusedScript(path, script, part, cause);
    }
  }
  for (const operation of workload.operations) {
    try {
      checkColumns(
        columnsOf(workload, operation),
        await exchange(client, describeMessages(operation, statements)),
      );
    } catch (cause) {
      const statement = statementOf(operation, statements);
      throw new InputError(
        `${path}: operation ${operation.name}: ${statement}: ${reasonOf(cause)}; ${remedyOf(workload, operation, statements)}`,
        { cause },
      );
    }
  }
  await client.query('COMMIT');
}

const dropsSchema = z.array(z.object({ text: z.string() }));

async function dropFunctions(client: Client): Promise<void> {
  const { rows } = await client.query(
    `SELECT format('DROP ROUTINE %s CASCADE', oid::regprocedure) AS text FROM pg_catalog.pg_proc
     WHERE pronamespace = to_regnamespace('${ourSchema}')`,
  );
  for (const { text } of dropsSchema.parse(rows)) await client.query(text);
}

interface ScriptPart {
  readonly text: string;
  /** Its beginning in the script. */
  readonly at: number;
}

/** The script, split before each CREATE that begins a line: an error then has the name of its function. */
function partsOf(script: string): readonly ScriptPart[] {
  let at = 0;
  return script
    .split(/^(?=create\s)/im)
    .map((text) => {
      const part = { text, at };
      at += text.length;
      return part;
    })
    .filter(({ text }) => text.trim() !== '');
}

function refusedScript(path: string, script: string, { text, at }: ScriptPart, cause: unknown): InputError {
  const position = cause instanceof Error && 'position' in cause ? Number(cause.position) : Number.NaN;
  const before = script.slice(0, at + (Number.isNaN(position) ? 0 : position - 1)).split('\n');
  const place = `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  const operation = new RegExp(`${ourSchema}\\."?([a-z][a-z0-9_]*)`, 'i').exec(text)?.[1];
  const whose = operation === undefined ? '' : ` operation ${operation}:`;
  return new InputError(
    `${path}:${place}:${whose} PostgreSQL refuses it: ${reasonOf(cause)}; correct the SQL there`,
    { cause },
  );
}

/** The columns that an operation's statement must return; null if it returns nothing. */
function columnsOf(
  workload: WorkloadShape,
  { returns, reasons }: OperationShape,
): readonly ColumnShape[] | null {
  if (returns.kind === 'nothing') return null;
  const columns =
    returns.kind === 'fields' ? returns.fields : (workload.tables[returns.table]?.columns ?? []);
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
  const columns = columnsOf(workload, operation);
  const listed = columns?.map(({ name, type }) => `${name} ${sqlTypes[type.kind].name}`).join(', ');
  if (statements[operation.name] !== undefined) {
    return `have it return ${listed === undefined ? 'nothing, or a reason as text' : `(${listed})`}`;
  }
  const parameters = operation.arguments.flatMap((argument) =>
    typesOf(argument).map((type) => `${argument.name} ${sqlTypeOf(type)}`),
  );
  const result = listed === undefined ? 'text' : `TABLE (${listed})`;
  return `CREATE FUNCTION ${ourSchema}.${operation.name}(${parameters.join(', ')}) RETURNS ${result}`;
}
