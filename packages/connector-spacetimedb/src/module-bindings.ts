import {
  type ArgumentShape,
  type ColumnShape,
  columnsOf,
  type OperationShape,
  type Row,
  type ScalarValue,
  type Values,
  type WorkloadShape,
} from '@fair-bench/contract';
import { namedArguments } from '@fair-bench/session';
import {
  type Column,
  DbConnectionBuilder,
  DbConnectionImpl,
  procedures,
  procedureSchema,
  reducers,
  reducerSchema,
  type RemoteModule,
  schema,
  t,
} from 'spacetimedb';

/** A client's bindings of a workload's module: what `spacetime generate` would write, made from the description. */
interface ModuleBindings {
  readonly builder: () => DbConnectionBuilder<DbConnectionImpl>;
  /** By the operations' numbers. */
  readonly calls: readonly OperationCall[];
}

export interface OperationCall {
  readonly operation: OperationShape;
  /** The rows or fields of a procedure's result; null for a reducer, which returns nothing. */
  readonly readRows: ((value: unknown) => Row[]) | null;
  /** Sends the call at once. Throws a RangeError for an integer beyond 64 bits. */
  send(connection: DbConnectionImpl, values: Values): Promise<unknown>;
}

const bindingsByWorkload = new WeakMap<WorkloadShape, ModuleBindings>();

/** The bindings of a workload's module; shared by all sessions. */
export function moduleBindings(workload: WorkloadShape): ModuleBindings {
  const known = bindingsByWorkload.get(workload);
  if (known !== undefined) return known;
  const made = createBindings(workload);
  bindingsByWorkload.set(workload, made);
  return made;
}

function createBindings({ tables, operations }: WorkloadShape): ModuleBindings {
  const reducerSchemas = [];
  const procedureSchemas = [];
  const calls: OperationCall[] = [];
  for (const operation of operations) {
    const { name, returns } = operation;
    const named = namedArguments(operation.arguments, (bytes) => bytes);
    const parameters = Object.fromEntries(
      operation.arguments.map((argument) => [argument.name, argumentType(argument)]),
    );
    if (returns.kind === 'nothing') {
      const reducer = reducerSchema(name, parameters);
      const { accessorName } = reducer;
      reducerSchemas.push(reducer);
      calls.push({
        operation,
        readRows: null,
        send: (connection, values) => callOf(connection.reducers, accessorName)(named(values)),
      });
    } else {
      const columns = columnsOf({ tables }, returns);
      const row = t.object(`${name}_row`, typesOf(columns));
      const value = returns.kind === 'fields' ? row : t.array(row);
      const procedure = procedureSchema(name, parameters, t.result(value, t.string()));
      const { accessorName } = procedure;
      procedureSchemas.push(procedure);
      calls.push({
        operation,
        readRows: rowsReader(columns),
        send: (connection, values) => callOf(connection.procedures, accessorName)(named(values)),
      });
    }
  }
  const remoteModule: RemoteModule = {
    versionInfo: { cliVersion: '2.8.3' },
    // Nothing is subscribed to.
    tables: schema({}).schemaType.tables,
    reducers: reducers(...reducerSchemas).reducersType.reducers,
    ...procedures(...procedureSchemas),
  };
  const builder = (): DbConnectionBuilder<DbConnectionImpl> =>
    new DbConnectionBuilder(remoteModule, (config) => new DbConnectionImpl(config));
  return { builder, calls };
}

function callOf<Call>(calls: Readonly<Record<string, Call>>, name: string): Call {
  const call = calls[name];
  if (call === undefined) throw new Error(`spacetimedb: the SDK made no call ${name}`);
  return call;
}

function argumentType(argument: ArgumentShape): Column {
  if (argument.kind === 'scalar') return typeOf(argument.type);
  return t.array(t.object(argument.name, typesOf(argument.fields)));
}

function typesOf(columns: readonly ColumnShape[]): Record<string, Column> {
  return Object.fromEntries(columns.map(({ name, type }) => [name, typeOf(type)]));
}

const types: Readonly<Record<ColumnShape['type']['kind'], () => Column>> = {
  key: () => t.u32(),
  int64: () => t.i64(),
  bool: () => t.bool(),
  text: () => t.string(),
  bytes: () => t.byteArray(),
};

function typeOf({ kind }: ColumnShape['type']): Column {
  return types[kind]();
}

/** Reads rows, or one row, as the SDK decodes them: objects with the columns' names. */
function rowsReader(columns: readonly ColumnShape[]): (value: unknown) => Row[] {
  const readRow = (value: unknown): Row => {
    const cells = new Map(Object.entries(value ?? {}));
    return columns.map(({ name }) => {
      const cell: unknown = cells.get(name);
      if (!isScalar(cell)) throw new Error(`spacetimedb: a row came back without ${name}`);
      return cell;
    });
  };
  return (value) => (Array.isArray(value) ? value.map(readRow) : [readRow(value)]);
}

function isScalar(value: unknown): value is ScalarValue {
  return ['number', 'bigint', 'boolean', 'string'].includes(typeof value) || value instanceof Uint8Array;
}
