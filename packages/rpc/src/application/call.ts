import {
  type ApplicationOperation,
  type ArgumentShape,
  applied,
  type ColumnShape,
  columnsOf,
  declinesOf,
  inDoubt,
  InputError,
  isListValue,
  type OperationOutcome,
  type OperationShape,
  refused,
  type Reply,
  type Row,
  type ScalarValue,
  type Value,
  type Values,
  type WorkloadShape,
} from '@fair-bench/contract';
import type { HttpCall, HttpMethod } from '@fair-bench/session';

const withoutBody: ReadonlySet<string> = new Set(['GET', 'DELETE']);
/** An application that answers so has not begun it. */
const notBegun: ReadonlySet<number> = new Set([425, 429]);
const requestTimeout = 408;

/**
 * One operation by an application's own API: a request from its arguments, an outcome from its reply. A status of 2xx is applied, one of
 * 4xx with a reason of the operation's is declined, any other a fault; after one of 3xx, 408 or 5xx nobody knows what was applied. An InputError
 * names what the mapping lacks, and a list where only the body has room for one.
 */
export function applicationCall(
  workload: WorkloadShape,
  operation: OperationShape,
  mapping: ApplicationOperation | undefined,
): HttpCall {
  const { name } = operation;
  if (mapping === undefined)
    throw new InputError(`app.operations: got no ${name}; accepts a request for each operation`);
  const [method = 'POST', template = '/'] = mapping.request.split(' ');
  const places = new Map(operation.arguments.map((argument, place) => [argument.name, place]));
  const placeOf = (argument: string, where: string): number => {
    const place = places.get(argument);
    if (place !== undefined) return place;
    throw new InputError(
      `app.operations.${name}.${where}: got "${argument}"; accepts ${[...places.keys()].join(', ')}`,
    );
  };
  const scalarAt = (place: number): void => {
    const argument = operation.arguments[place];
    if (argument?.kind === 'list')
      throw new InputError(
        `app.operations.${name}.request: ${argument.name} is a list; accepts a method with a body for it, and no place in the path`,
      );
  };
  const inPath = [...template.matchAll(/\{([^}]*)\}/g)].map(([, argument = '']) => argument);
  for (const argument of inPath) scalarAt(placeOf(argument, 'request'));
  const others = operation.arguments.map((argument) => argument.name).filter((one) => !inPath.includes(one));
  const body = Object.entries(mapping.body ?? Object.fromEntries(others.map((one) => [one, one]))).map(
    ([field, argument]) => ({ field, place: placeOf(argument, 'body') }),
  );
  const shapes = operation.arguments;
  const hasBody = !withoutBody.has(method);
  for (const { place } of hasBody ? [] : body) scalarAt(place);
  const fieldsOf = (values: Values): (readonly [string, unknown])[] =>
    body.map(({ field, place }) => [field, jsonOf(values[place], shapes[place])]);
  const pathOf = (values: Values): string =>
    template.replaceAll(/\{([^}]*)\}/g, (_, argument: string) =>
      encodeURIComponent(String(jsonOf(values[places.get(argument) ?? 0], undefined))),
    );
  return {
    path: template,
    lineOf(values) {
      const path = pathOf(values);
      if (hasBody) return { method: methodOf(method), path };
      const query = new URLSearchParams(fieldsOf(values).map(([field, value]) => [field, String(value)]));
      return { method: methodOf(method), path: query.size === 0 ? path : `${path}?${query.toString()}` };
    },
    encode: (values) => (hasBody ? JSON.stringify(Object.fromEntries(fieldsOf(values))) : ''),
    outcome: outcomeReader(workload, operation, mapping),
  };
}

function methodOf(method: string): HttpMethod {
  return method === 'GET' || method === 'PUT' || method === 'PATCH' || method === 'DELETE' ? method : 'POST';
}

function jsonOf(value: Value | undefined, shape: ArgumentShape | undefined): unknown {
  if (value === undefined) throw new RangeError('an argument is missing');
  if (!isListValue(value)) return scalarOf(value);
  const names = shape?.kind === 'list' ? shape.fields.map((field) => field.name) : [];
  return Array.from({ length: value.length }, (_, record) =>
    Object.fromEntries(names.map((name, field) => [name, scalarOf(value.fields[field]?.[record] ?? 0)])),
  );
}

function scalarOf(value: ScalarValue): number | string | boolean {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value !== 'bigint') return value;
  // What a number of JSON does not hold is a text, as most applications have it.
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

function outcomeReader(
  workload: WorkloadShape,
  operation: OperationShape,
  { reply, rows, reason, reasons }: ApplicationOperation,
): HttpCall['outcome'] {
  const { returns } = operation;
  const columns = columnsOf(workload, returns).map((column) => ({
    column,
    path: (reply[column.name] ?? column.name).split('.'),
  }));
  const readRow = (json: unknown): Row => columns.map(({ column, path }) => cellOf(column, at(json, path)));
  const read = (json: unknown): Reply => {
    if (returns.kind === 'fields') return { kind: 'fields', fields: readRow(json) };
    const all = rows === null ? json : at(json, rows.split('.'));
    if (returns.kind === 'row') return { kind: 'rows', rows: all === null ? [] : [readRow(all)] };
    if (!Array.isArray(all)) throw new TypeError('no array of rows');
    return { kind: 'rows', rows: all.map(readRow) };
  };
  const declines = declinesOf(operation);
  const reasonPath = reason.split('.');
  return (status, body) => {
    if (status >= 200 && status < 300) {
      if (returns.kind === 'nothing') return applied;
      try {
        return { kind: 'applied', reply: read(JSON.parse(body.toString())), retries: 0 };
      } catch (error) {
        return inDoubt('protocol-error', `${operation.name}: ${String(error)} in ${excerpt(body)}`);
      }
    }
    if (isCertain(status)) {
      const word = wordOf(body, reasonPath);
      const declined = declines.get(Object.hasOwn(reasons, word) ? reasons[word] : word);
      if (declined !== undefined) return declined;
    }
    return faultOf(status, body);
  };
}

/** Whether an application that answers so has applied nothing. */
function isCertain(status: number): boolean {
  return status >= 400 && status < 500 && status !== requestTimeout;
}

function faultOf(status: number, body: Buffer): OperationOutcome {
  const said = `status ${status}: ${excerpt(body)}`;
  if (notBegun.has(status)) return refused('overloaded', said);
  return isCertain(status) ? refused('invalid-request', said) : inDoubt('server-error', said);
}

function wordOf(body: Buffer, path: readonly string[]): string {
  try {
    const word = at(JSON.parse(body.toString()), path);
    return typeof word === 'string' ? word : '';
  } catch {
    return '';
  }
}

/** Throws where there is nothing. */
function at(json: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      throw new TypeError(`no ${path.join('.')}`);
    return Object.entries(value).find(([key]) => key === name)?.[1];
  }, json);
}

/** A value of a column's type; an int64 may be a number or a text. Throws for another. */
function cellOf({ name, type }: ColumnShape, json: unknown): ScalarValue {
  const isWhole = typeof json === 'number' && Number.isSafeInteger(json);
  if (type.kind === 'key' && isWhole) return json;
  if (type.kind === 'int64' && (isWhole || (typeof json === 'string' && /^-?\d{1,19}$/.test(json))))
    return BigInt(json);
  if (type.kind === 'bool' && typeof json === 'boolean') return json;
  if (type.kind === 'text' && typeof json === 'string') return json;
  if (type.kind === 'bytes' && typeof json === 'string') return Buffer.from(json, 'base64');
  throw new TypeError(`${name} is ${JSON.stringify(json)}`);
}

function excerpt(body: Buffer): string {
  return JSON.stringify(body.toString('utf8', 0, 200));
}
