import { readFileSync } from 'node:fs';
import {
  type ArgumentShape,
  InputError,
  inOurSchema,
  type ListValue,
  type OperationShape,
  ourSchema,
  type Values,
  messageOf,
} from '@fair-bench/contract';
import { z } from 'zod';
import { type Dialect, type Parameter, parameterOf, type ParameterType } from './dialect.ts';

/** A workload's `<system>.sql`, read. */
interface SqlBinding {
  /** What is run once: functions. */
  readonly script: string;
  /** Statements by operation; an operation without one calls the function of its name. */
  readonly statements: Statements;
}

export const statementsSchema = z.record(z.string(), z.string());
export type Statements = Readonly<Record<string, string>>;

const heading = /^-- operation: *([a-z][a-z0-9_]*) *$/m;

/** Reads `<system>.sql` for the run's schema: a script, then for each `-- operation: <name>` one statement. */
export function readSqlBinding(path: string): SqlBinding {
  const [script = '', ...rest] = inOurSchema(readFileSync(path, 'utf8')).split(heading);
  const statements: Record<string, string> = {};
  for (let place = 0; place + 1 < rest.length; place += 2) {
    statements[rest[place] ?? ''] = (rest[place + 1] ?? '').trim().replace(/;$/, '');
  }
  return { script, statements };
}

/** The statement of an operation. */
export function statementOf(operation: OperationShape, statements: Statements, dialect: Dialect): string {
  const own = statements[operation.name];
  if (own !== undefined) return own;
  const { parameter = () => '?' } = dialect;
  const types = operation.arguments.flatMap((argument) => typesOf(argument, dialect));
  const parameters = types.map((type, index) => parameter(index + 1, type));
  const columns = operation.returns.kind === 'nothing' ? '' : '* FROM ';
  return `SELECT ${columns}${ourSchema()}.${operation.name}(${parameters.join(', ')})`;
}

/** The statement of every operation: what an endpoint says to clients, which may run on other machines. */
export function statementsOf(
  operations: readonly OperationShape[],
  statements: Statements,
  dialect: Dialect,
): Statements {
  return Object.fromEntries(
    operations.map((operation) => [operation.name, statementOf(operation, statements, dialect)]),
  );
}

/** The parameters of an argument: one, or for a list one array per field where the dialect says so. */
export function typesOf(argument: ArgumentShape, { lists }: Dialect): readonly ParameterType[] {
  if (argument.kind === 'scalar') return [{ kind: argument.type.kind, isArray: false }];
  if (lists === undefined) return [{ kind: 'text', isArray: false }];
  return argument.fields.map(({ type }) => ({ kind: type.kind, isArray: true }));
}

/** Compiles the function that gives an operation's parameters. */
export function parametersOf(
  { arguments: all }: OperationShape,
  { lists }: Dialect,
): (values: Values) => Parameter[] {
  if (lists === 'arrays') {
    return (values) =>
      values.flatMap((value): Parameter[] =>
        isList(value) ? value.fields.map((field) => field.slice(0, value.length)) : [value],
      );
  }
  return (values) =>
    values.map((value, slot) => {
      const argument = all[slot];
      if (!isList(value)) return parameterOf(value);
      return argument?.kind === 'list'
        ? recordsText(
            value,
            argument.fields.map(({ name }) => name),
          )
        : '[]';
    });
}

/** Records as JSON: 64-bit integers are decimal texts. */
function recordsText({ length, fields }: ListValue, names: readonly string[]): string {
  const records = Array.from({ length }, (_, record) =>
    Object.fromEntries(names.map((name, field) => [name, fields[field]?.[record]])),
  );
  return JSON.stringify(records, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(parameterOf(value)) : value,
  );
}

function isList(value: Values[number]): value is ListValue {
  return typeof value === 'object' && !(value instanceof Uint8Array);
}

interface ScriptPart {
  readonly text: string;
  /** Its beginning in the script. */
  readonly at: number;
}

/**
 * Runs a binding's script. Rejects with an InputError that names file, place, operation and remedy.
 * @param title the system's name for people.
 */
export async function runScript(
  path: string,
  script: string,
  title: string,
  run: (text: string) => Promise<unknown>,
): Promise<void> {
  for (const part of partsOf(script)) {
    try {
      await run(part.text.replace(/;\s*(?:--.*\s*)*$/, ''));
    } catch (cause) {
      throw refusedScript(path, script, title, part, cause);
    }
  }
}

/** The script, split before each CREATE or DROP that begins a line: an error then has the name of its function. */
function partsOf(script: string): readonly ScriptPart[] {
  let at = 0;
  return script
    .split(/^(?=(?:create|drop)\s)/im)
    .map((text) => {
      const part = { text, at };
      at += text.length;
      return part;
    })
    .filter(({ text }) => text.replaceAll(/^--.*$/gm, '').trim() !== '');
}

function refusedScript(
  path: string,
  script: string,
  title: string,
  { text, at }: ScriptPart,
  cause: unknown,
): InputError {
  const position = cause instanceof Error && 'position' in cause ? Number(cause.position) : Number.NaN;
  const before = script.slice(0, at + (Number.isNaN(position) ? 0 : position - 1)).split('\n');
  const place = `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  const operation = new RegExp(`${ourSchema()}\\.["\`]?([a-z][a-z0-9_]*)`, 'i').exec(text)?.[1];
  const whose = operation === undefined ? '' : ` operation ${operation}:`;
  return new InputError(
    `${path}:${place}:${whose} ${title} refuses it: ${messageOf(cause)}; correct the SQL there`,
    { cause },
  );
}
