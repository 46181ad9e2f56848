import type { OperationOutcome, Values, WorkloadShape } from '@fair-bench/contract';
import { z } from 'zod';
import type { Statements } from './statements.ts';

/** Who encodes calls for PostgreSQL: node-postgres as it ships, or a codec of ours in place of its query. */
export const clientCodecSchema = z.enum(['stock', 'tuned']);
export type ClientCodec = z.infer<typeof clientCodecSchema>;

/** The statements that a session prepares, and the codec that calls them. */
export interface Prepared {
  readonly workload: WorkloadShape;
  readonly statements: Statements;
  readonly codec: ClientCodec;
}

/** A workload's prepared operations on one connection. */
export interface Calls {
  /**
   * Sends one operation at once, in its own transaction. Never rejects. Any number may be outstanding on a client
   * with `pipeline`; without it node-postgres queues all but the first.
   */
  execute(operation: number, values: Values): Promise<OperationOutcome>;
  /** Operations without a reply yet. */
  outstanding(): number;
  /** Whether an operation noticed a lost connection. The server's last message comes before the socket's end. */
  lost(): boolean;
}
