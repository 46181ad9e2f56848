import type { WorkloadShape } from '@fair-bench/contract';
import { type Calls, statementCalls, type Statements } from '@fair-bench/sql';
import type { ClientBase } from 'pg';
import { z } from 'zod';
import { faultOfError } from './error-outcome.ts';
import { dialect } from './statements.ts';

/** Who encodes calls for PostgreSQL: node-postgres as it ships, or a codec of ours in place of its query. */
export const clientCodecSchema = z.enum(['stock', 'tuned']);
export type ClientCodec = z.infer<typeof clientCodecSchema>;

/** The statements that a session prepares, and the codec that calls them. */
export interface Prepared {
  readonly workload: WorkloadShape;
  readonly statements: Statements;
  readonly codec: ClientCodec;
}

/** A cell as node-postgres' own parsers return it: `bigint` is text, because it may not fit into a number. */
type StockCell = string | boolean | Uint8Array | null;

/**
 * The operations by node-postgres' own query, as an application would call them: named, so that each is parsed once
 * per connection, at its first call.
 */
export function stockCalls(client: ClientBase, prepared: Omit<Prepared, 'codec'>): Calls {
  return statementCalls({
    ...prepared,
    dialect,
    run: async ({ name, text }, values) =>
      (await client.query<StockCell[]>({ name, text, rowMode: 'array', values })).rows,
    faultOf: faultOfError,
  });
}
