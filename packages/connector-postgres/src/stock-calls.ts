import {
  inDoubt,
  type OperationOutcome,
  refused,
  type ColumnShape,
  type ScalarValue,
  type Value,
  type Values,
} from '@fair-bench/contract';
import { reasonOf } from '@fair-bench/session';
import type { ClientBase } from 'pg';
import type { Calls, Prepared } from './calls.ts';
import { faultOfError } from './error-outcome.ts';
import { rowReader, scalarOf } from './replies.ts';
import { statementOf, typesOf } from './statements.ts';

/** A cell as node-postgres' own parsers return it: `bigint` is text, because it may not fit into a number. */
type Cell = string | boolean | Uint8Array;

/**
 * The operations by node-postgres' own query, as an application would call them: named, so that each is parsed once
 * per connection, at its first call.
 */
export function stockCalls(client: ClientBase, { workload, statements }: Omit<Prepared, 'codec'>): Calls {
  const operations = workload.operations.map((operation) => ({
    query: {
      name: `fair_bench_${operation.name}`,
      text: statementOf(operation, statements),
      rowMode: 'array',
    } as const,
    parameters: operation.arguments.flatMap(typesOf).length,
    read: rowReader(workload, operation, cellOf),
  }));
  let outstanding = 0;
  let lost = false;
  return {
    async execute(number, values): Promise<OperationOutcome> {
      const prepared = operations[number];
      const parameters = parametersOf(values);
      if (prepared?.parameters !== parameters.length) {
        return refused('invalid-request', `operation ${number} takes other arguments, or does not exist`);
      }
      outstanding += 1;
      let rows: Cell[][];
      try {
        ({ rows } = await client.query<Cell[]>({ ...prepared.query, values: parameters }));
      } catch (error) {
        // node-postgres does not report whether it had sent it: after a lost connection it is in doubt.
        const fault = faultOfError(error);
        if (fault.code === 'connection-lost') lost = true;
        return fault;
      } finally {
        outstanding -= 1;
      }
      try {
        return prepared.read(rows);
      } catch (error) {
        return inDoubt('protocol-error', reasonOf(error));
      }
    },
    outstanding: () => outstanding,
    lost: () => lost,
  };
}

/** For a list, one array per field. */
function parametersOf(values: Values): unknown[] {
  return values.flatMap((value: Value): unknown[] =>
    typeof value !== 'object' || value instanceof Uint8Array
      ? [value]
      : value.fields.map((field) => field.slice(0, value.length)),
  );
}

function cellOf(cell: Cell | null, column: ColumnShape): ScalarValue | null {
  return cell === null || typeof cell === 'string' ? scalarOf(cell, column) : cell;
}
