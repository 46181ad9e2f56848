import type { OperationOutcome, Values, WorkloadShape } from '@fair-bench/contract';
import { z } from 'zod';
import type { Statements } from './statements.ts';

/** Who puts calls into PostgreSQL's protocol: node-postgres as it ships, or a codec of ours in its query's place. */
export const clientCodecSchema = z.enum(['stock', 'tuned']);
export type ClientCodec = z.infer<typeof clientCodecSchema>;

/** What a session prepares, and by which codec it calls it. */
export interface Prepared {
  readonly workload: WorkloadShape;
  readonly statements: Statements;
  readonly codec: ClientCodec;
}

/** A workload's prepared operations on one connection. */
export interface Calls {
  /**
   * Sends one operation at once as a transaction of its own. Never rejects. Any number may be outstanding on a client
   * with `pipeline`; without it node-postgres holds back all but the first.
   */
  execute(operation: number, values: Values): Promise<OperationOutcome>;
  /** Operations without a reply yet. */
  outstanding(): number;
  /** Whether an operation found the connection lost. The server's last words come before the socket's end. */
  lost(): boolean;
}
