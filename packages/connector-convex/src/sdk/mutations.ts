import { makeFunctionReference, type FunctionReference } from 'convex/server';
import type { Value } from 'convex/values';
import {
  applied,
  type ColumnShape,
  columnsOf,
  declinesOf,
  inDoubt,
  type OperationOutcome,
  type OperationShape,
  refused,
  type Row,
  type ScalarValue,
  type Values,
  type WorkloadShape,
  messageOf,
} from '@fair-bench/contract';
import { operationFunction } from '@fair-bench/rpc-server-convex';
import { namedArguments } from '@fair-bench/session';

type Arguments = Record<string, Value>;

/** How one operation is called, and how its mutation's result is read. */
export interface OperationMutation {
  readonly reference: FunctionReference<'mutation', 'public', Arguments, unknown>;
  /** Throws a RangeError for an integer beyond 64 bits. */
  arguments(values: Values): Arguments;
  outcome(value: unknown): OperationOutcome;
}

/** The mutations of a workload's operations, by their numbers. */
export function mutationsOf(workload: WorkloadShape): readonly OperationMutation[] {
  return workload.operations.map((operation) => {
    const named = namedArguments(operation.arguments, (bytes) => new Uint8Array(bytes).buffer);
    return {
      reference: makeFunctionReference<'mutation', Arguments, unknown>(operationFunction(operation.name)),
      arguments: named,
      outcome: outcomeReader(workload, operation),
    };
  });
}

/**
 * The meaning of a rejected mutation: the function threw, and nothing was committed. Convex does not answer a
 * mutation that it gives up itself.
 */
export function outcomeOfRejection(error: unknown): OperationOutcome {
  return refused('server-error', `convex: ${messageOf(error)}`.slice(0, 300));
}

/** Convex does not report how often it ran a mutation: an outcome has no retries. */
function outcomeReader(
  workload: WorkloadShape,
  operation: OperationShape,
): (value: unknown) => OperationOutcome {
  const { name, returns } = operation;
  const declinedByReason = declinesOf(operation);
  const columns = columnsOf(workload, returns);
  return (value) => {
    if (value === null && returns.kind === 'nothing') return applied;
    if (typeof value === 'object' && value !== null) {
      const outcome = 'declined' in value ? declinedByReason.get(value.declined) : undefined;
      if (outcome !== undefined) return outcome;
      if ('fields' in value && returns.kind === 'fields') {
        return {
          kind: 'applied',
          reply: { kind: 'fields', fields: rowOf(columns, value.fields) },
          retries: 0,
        };
      }
      if (
        'rows' in value &&
        Array.isArray(value.rows) &&
        (returns.kind === 'row' || returns.kind === 'rows')
      ) {
        const rows = value.rows.map((row: unknown) => rowOf(columns, row));
        return { kind: 'applied', reply: { kind: 'rows', rows }, retries: 0 };
      }
    }
    return inDoubt(
      'protocol-error',
      `convex: the mutation ${name} returned something that its operation does not`,
    );
  };
}

function rowOf(columns: readonly ColumnShape[], value: unknown): Row {
  const cells = new Map<string, unknown>(Object.entries(value ?? {}));
  return columns.map(({ name }) => scalarOf(name, cells.get(name)));
}

function scalarOf(name: string, cell: unknown): ScalarValue {
  if (cell instanceof ArrayBuffer) return new Uint8Array(cell);
  if (typeof cell === 'number' || typeof cell === 'bigint') return cell;
  if (typeof cell === 'boolean' || typeof cell === 'string') return cell;
  throw new Error(`convex: a row came back without ${name}`);
}
