import type { z } from 'zod';
import type { BatchedOperation, OperationOutcome, Values, WorkloadShape } from '@fair-bench/contract';
import type { EngineTables } from './served-tables.ts';

/** The input of every server process to the backend that it opens. */
interface BackendContext {
  /** The most database connections of this process. */
  readonly poolSize: number;
  readonly workload: WorkloadShape;
  /** The file URL of the module that carries the operations out, for `importBinding`. */
  readonly binding: string | null;
}

/** The backend of an RPC server. */
export interface RpcBackend {
  /**
   * One attempt of operation number `operation`, in one transaction. Never rejects for an error of the database: that
   * is a fault. The shared half retries after `serialization-failure` and `deadlock`.
   */
  execute(operation: number, values: Values): OperationOutcome | Promise<OperationOutcome>;
  /**
   * One attempt of these operations in one transaction, in their order; an outcome for each. A declined one leaves the others
   * as they are; where one fails the transaction is undone, and all have its fault. Of a backend that can.
   */
  executeBatch?(
    operations: readonly BatchedOperation[],
  ): readonly OperationOutcome[] | Promise<readonly OperationOutcome[]>;
  /** Settings read now in the sessions that do the timed work, under the database's own names. */
  settings(): Promise<Record<string, string>>;
  /** Closes pooled database connections and reopens `poolSize` of them; with 0, none until they are used. */
  recycle(poolSize: number): Promise<void>;
  /** Of an engine inside this process, whose rows nobody else can reach; the runner uses them by the control port. */
  readonly tables?: EngineTables;
  close(): Promise<void>;
}

/** An RPC server is this plus a `main.ts` that passes it to `runRpcServer`. */
export interface RpcServerImplementation<Settings> {
  readonly name: string;
  readonly settingsSchema: z.ZodType<Settings>;
  /** Whether each connection occupies a thread of Node's pool while it works: an engine inside the process does. */
  readonly hasThreadPerConnection?: true;
  openBackend(settings: Settings, context: BackendContext): Promise<RpcBackend>;
}
