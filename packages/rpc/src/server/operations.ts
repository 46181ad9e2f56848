import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  applied,
  declinesOf,
  inDoubt,
  InputError,
  messageOf,
  refused,
  type ColumnShape,
  type OperationOutcome,
  type ScalarValue,
  type Values,
  type WorkloadShape,
} from '@fair-bench/contract';
import type { Binding, NamedRow, Operations, OperationFunction, Result } from '../binding.ts';
import { codecsOf, type OperationCodec } from '../codec/codec.ts';
import type { RpcBackend } from './implementation.ts';
import { resolveWithinPackages } from './resolve-within-packages.ts';

/** A workload's operations over one connection, by their numbers. Throws the binding's errors. */
export type BoundOperations = RpcBackend['execute'];

/**
 * Imports a binding's file; returns a function that binds its operations to a connection. Rejects with the file, the
 * fact and the remedy without a binding, or with one for another workload; what is wrong in the file is an InputError.
 */
export async function importBinding(
  url: string | null,
  workload: WorkloadShape,
): Promise<(client: object) => BoundOperations> {
  const path = url === null ? null : fileURLToPath(url);
  if (url === null || path === null) throw new Error(`workload ${workload.name}: no binding was given`);
  await access(path);
  resolveWithinPackages();
  const imported: unknown = await import(url).catch((cause: unknown) => {
    throw wrong(path, cause);
  });
  const binding =
    typeof imported === 'object' && imported !== null && 'default' in imported ? imported.default : null;
  if (!isBinding(binding) || binding.workload !== workload.name) {
    throw new InputError(`${path}: its default export is not a binding of the workload ${workload.name}`);
  }
  return (client) => {
    let operations: Operations;
    try {
      operations = binding.bind(client);
    } catch (cause) {
      throw wrong(path, cause);
    }
    return bound(operations, workload, path);
  };
}

/** An error of a binding's file, with the file and the remedy. */
function wrong(path: string, cause: unknown): InputError {
  return new InputError(`${path}: ${messageOf(cause)}; correct it`, { cause });
}

function isBinding(value: unknown): value is Binding<object> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'workload' in value &&
    'bind' in value &&
    typeof value.bind === 'function'
  );
}

function bound(operations: Operations, workload: WorkloadShape, path: string): BoundOperations {
  const runs = codecsOf(workload).map((codec) => {
    const { name } = codec.operation;
    const run = operations[name];
    if (typeof run !== 'function')
      throw new InputError(`${path}: has no operation ${name}; add a function of that name`);
    return boundOperation(run, codec);
  });
  return (operation, values) =>
    runs[operation]?.(values) ?? refused('invalid-request', `there is no operation ${operation}`);
}

function boundOperation(
  run: OperationFunction,
  codec: OperationCodec,
): (values: Values) => ReturnType<BoundOperations> {
  const outcomeOf = outcomeReader(codec);
  return (values) => {
    const result = run(codec.named(values));
    return result instanceof Promise ? result.then(outcomeOf) : outcomeOf(result);
  };
}

/** The outcome of a binding's return value. */
function outcomeReader({ operation, returned }: OperationCodec): (result: Result) => OperationOutcome {
  const declined = declinesOf(operation);
  const { kind } = operation.returns;
  const columns = returned ?? [];
  return (result) => {
    if (result === null && kind === 'nothing') return applied;
    if (result !== null && 'declined' in result) {
      return (
        declined.get(result.declined) ??
        unknown(
          `declines with ${result.declined}, which is not one of its reasons (${operation.reasons.join(', ') || 'it has none'})`,
        )
      );
    }
    if (result !== null && 'rows' in result && (kind === 'row' || kind === 'rows' || kind === 'records')) {
      const rows = result.rows.map((row) => valuesOf(row, columns));
      return { kind: 'applied', reply: { kind: 'rows', rows }, retries: 0 };
    }
    if (result !== null && 'fields' in result && kind === 'fields') {
      const fields = valuesOf(result.fields, columns);
      return { kind: 'applied', reply: { kind: 'fields', fields }, retries: 0 };
    }
    return unknown(`does not return what its description says (${kind})`);
  };

  function unknown(what: string): OperationOutcome {
    return inDoubt('server-error', `the operation ${operation.name} of the binding ${what}`);
  }
}

function valuesOf(row: NamedRow, columns: readonly ColumnShape[]): ScalarValue[] {
  return columns.map(({ name, type }) => {
    const value = row[name];
    if (value === undefined) throw new Error(`a row of the binding has no column ${name}`);
    // Integers of a database's driver are numbers, bigints or decimal strings.
    if (type.kind === 'key') return Number(value);
    return type.kind === 'int64' && !(value instanceof Uint8Array) ? BigInt(value) : value;
  });
}
