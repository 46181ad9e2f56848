import { makeFunctionReference, type GenericActionCtx, type GenericDataModel } from 'convex/server';
import type { Value } from 'convex/values';
import {
  type Argument,
  type Column,
  fromJson,
  type Json,
  type Operation,
  toJson,
  type Workload,
} from './shape.ts';

const keyMax = 0xffff_ffff;
const int64Max = 9_223_372_036_854_775_807n;
const int64Min = -9_223_372_036_854_775_808n;
const bodyLengthMax = 1_048_576;
const appliedText = '{"kind":"applied","retries":0}';

/** The module of the functions that carry out the workload's operations. */
export const operationsModule = 'operations';

type Runner = Pick<GenericActionCtx<GenericDataModel>, 'runMutation'>;
type Arguments = Record<string, Value>;

/** `POST /<operation>` as in packages/rpc/PROTOCOL.md: the same bytes mean the same on every server. */
export function operationHandler(
  workload: Workload,
  operation: Operation,
): (ctx: Runner, request: Request) => Promise<Response> {
  const mutation = makeFunctionReference<'mutation', Arguments>(`${operationsModule}:${operation.name}`);
  return async (ctx, request) => {
    let values: Arguments;
    try {
      values = parseArguments(operation.arguments, await request.text());
    } catch (error) {
      return fault('invalid-request', false, messageOf(error));
    }
    let result: unknown;
    try {
      result = await ctx.runMutation(mutation, values);
    } catch (error) {
      return failure(messageOf(error));
    }
    return replyOf(workload, operation, result);
  };
}

/** The arguments; throws for an invalid body. Nothing is converted to another type. */
function parseArguments(all: readonly Argument[], body: string): Arguments {
  if (body.length > bodyLengthMax) throw new Error('the body is too large');
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw new Error('the body is not JSON', { cause });
  }
  return members(
    'the body',
    value,
    all.map((argument) => [argument.name, (member) => argumentOf(argument, member)]),
  );
}

function argumentOf(argument: Argument, value: unknown): Value {
  const { name } = argument;
  if (argument.kind === 'scalar') return scalarOf(name, argument.type, value);
  if (!Array.isArray(value) || value.length > argument.max) {
    throw new Error(`${name} must be an array of at most ${argument.max} records`);
  }
  const fields = argument.fields.map((field): Member => [
    field.name,
    (member) => scalarOf(`${name}/${field.name}`, field.type, member),
  ]);
  return value.map((record: unknown) => members(name, record, fields));
}

type Member = readonly [name: string, read: (value: unknown) => Value];

function members(where: string, value: unknown, all: readonly Member[]): Arguments {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== all.length) {
    throw new Error(`${where} must be an object of ${all.map(([name]) => name).join(', ')}`);
  }
  const present = new Map<string, unknown>(Object.entries(value));
  return Object.fromEntries(all.map(([name, read]) => [name, read(present.get(name))]));
}

function scalarOf(name: string, type: Column['type'], value: unknown): Value {
  if (!isJson(value) || !fits(type, value)) throw new Error(`${name} must be of the type ${type.kind}`);
  const read = fromJson(value, type);
  if (typeof read === 'bigint' && (read > int64Max || read < int64Min)) {
    throw new Error(`${name} must fit into 64 bits`);
  }
  return read;
}

function isJson(value: unknown): value is Json {
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string';
}

type Fits = (value: Json, length: number) => boolean;

const fitsByKind: Readonly<Record<Column['type']['kind'], Fits>> = {
  key: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= keyMax,
  int64: (value) => typeof value === 'string' && /^-?[0-9]{1,40}$/.test(value),
  bool: (value) => typeof value === 'boolean',
  text: (value, length) => typeof value === 'string' && value.length <= length,
  bytes: (value, length) =>
    typeof value === 'string' &&
    /^[A-Za-z0-9+/]*={0,2}$/.test(value) &&
    value.length <= 4 * Math.ceil(length / 3),
};

function fits(type: Column['type'], value: Json): boolean {
  return fitsByKind[type.kind](value, 'length' in type ? type.length : 0);
}

function replyOf({ tables }: Workload, { returns, reasons }: Operation, result: unknown): Response {
  if (result === null && returns.kind === 'nothing') return jsonReply(200, appliedText);
  const { declined, rows, fields } = { declined: null, rows: null, fields: null, ...Object(result) };
  if (typeof declined === 'string' && reasons.includes(declined)) {
    return jsonReply(200, `{"kind":"declined","reason":"${declined}","retries":0}`);
  }
  if (returns.kind === 'fields' && fields !== null) {
    return applied({ fields: rowOf(returns.fields, fields) });
  }
  if ((returns.kind === 'row' || returns.kind === 'rows') && Array.isArray(rows)) {
    const columns = tables[returns.table]?.columns ?? [];
    return applied({ rows: rows.map((row: Record<string, Value>) => rowOf(columns, row)) });
  }
  // It is committed, but its effect is unknown.
  return fault('server-error', true, 'the mutation returned something that its operation does not');
}

function applied(reply: { readonly rows: Json[][] } | { readonly fields: Json[] }): Response {
  return jsonReply(200, JSON.stringify({ kind: 'applied', reply, retries: 0 }));
}

function rowOf(columns: readonly Column[], row: Record<string, Value>): Json[] {
  return columns.map(({ name }) => toJson(row[name]));
}

/**
 * Why Convex gave the mutation up. A mutation that it refused, or did not commit because others had changed what it
 * read, is not applied; anything else is in doubt.
 */
function failure(message: string): Response {
  if (/TooManyConcurrentRequests|Too many concurrent/i.test(message))
    return fault('overloaded', false, message);
  if (/OptimisticConcurrencyControlFailure|changed while this mutation was being run/i.test(message)) {
    return fault('serialization-failure', false, message);
  }
  return fault('server-error', true, message);
}

const statusByCode = {
  'invalid-request': 400,
  'serialization-failure': 409,
  'server-error': 500,
  overloaded: 503,
} as const;

function fault(code: keyof typeof statusByCode, inDoubt: boolean, message: string): Response {
  const outcome = { kind: 'fault', code, inDoubt, message: message.slice(0, 200), retries: 0 };
  return jsonReply(statusByCode[code], JSON.stringify(outcome));
}

/** A reply whose body is JSON already. */
export function jsonReply(status: number, body: string): Response {
  return new Response(body, { status, headers: { 'content-type': 'application/json' } });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
