import {
  clientCodecSchema,
  type DataPlane,
  type OperationShape,
  statementProtocolSchema,
  type WorkloadShape,
} from '@fair-bench/contract';
import {
  type Calls,
  parametersOf,
  type StatementCalls,
  statementCalls,
  statementOf,
  statementsSchema,
} from '@fair-bench/sql';
import type { ClientBase, QueryArrayConfig } from 'pg';
import { z } from 'zod';
import { batchShape } from './batch.ts';
import { batchCalls } from './batch-calls.ts';
import { faultOfError } from './error-outcome.ts';
import { textsSchema, textWriter } from './simple-texts.ts';
import { dialect } from './statements.ts';

/** The statements of a session, how they reach the server, and the codec that sends them: options of an endpoint. */
export const preparedSchema = z.strictObject({
  statements: statementsSchema,
  protocol: statementProtocolSchema.default('prepared'),
  /** The statements of simple queries; empty for another protocol. */
  texts: textsSchema.default({}),
  /** node-postgres as it ships, or a codec of ours in place of its query. */
  codec: clientCodecSchema.default('stock'),
  /** Whether operations are sent in batches: the function of a batch is there. */
  batches: z.boolean().default(false),
});

export interface Prepared extends z.infer<typeof preparedSchema> {
  readonly workload: WorkloadShape;
}

/** Several operations in one call. */
export type Batches = Required<Pick<DataPlane, 'executeBatch'>>;

/** A cell as node-postgres' own parsers return it: `bigint` is text, because it may not fit into a number. */
type StockCell = string | boolean | Uint8Array | null;

/** Without it node-postgres sends a statement without values as a simple query. */
interface ExtendedQuery extends QueryArrayConfig {
  readonly queryMode: 'extended';
}

/**
 * The operations by node-postgres' own query, as an application would call them. Prepared statements have a name, so that
 * each is parsed once per connection, at its first call.
 */
export function stockCalls(client: ClientBase, prepared: Omit<Prepared, 'codec'>): Calls & Partial<Batches> {
  const { workload, statements } = prepared;
  const run = runBy(client, workload.operations, prepared);
  const calls = statementCalls({ workload, statements, dialect, run, faultOf: faultOfError });
  return prepared.batches ? { ...calls, executeBatch: stockBatches(client, prepared) } : calls;
}

function stockBatches(client: ClientBase, prepared: Omit<Prepared, 'codec'>): Batches['executeBatch'] {
  const { workload, statements } = prepared;
  const shape = batchShape(workload);
  const text = statementOf(shape, statements, dialect);
  const statement = { operation: 0, name: `fair_bench_${shape.name}`, text };
  const run = runBy(client, [shape], prepared);
  const parameters = parametersOf(shape, dialect);
  return batchCalls(workload, async (values) => await run(statement, parameters(values)).catch(faultOfError));
}

function runBy(
  client: ClientBase,
  operations: readonly OperationShape[],
  { protocol, texts }: Omit<Prepared, 'codec'>,
): StatementCalls['run'] {
  const rowMode = 'array';
  const rowsOf = async (query: QueryArrayConfig) => (await client.query<StockCell[]>(query)).rows;
  if (protocol === 'prepared') {
    return async ({ name, text }, values) => await rowsOf({ name, text, rowMode, values });
  }
  if (protocol === 'extended') {
    return async ({ text }, values) => {
      const query: ExtendedQuery = { text, rowMode, values, queryMode: 'extended' };
      return await rowsOf(query);
    };
  }
  const writers = operations.map((operation) => textWriter(operation, texts));
  return async ({ operation }, values) => await rowsOf({ text: writers[operation]?.(values) ?? '', rowMode });
}
