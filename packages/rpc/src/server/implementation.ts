import type { z } from 'zod';
import type { JsonObject, OperationOutcome, Values, WorkloadShape } from '@fair-bench/contract';

/** What every server process gives the backend that it opens. */
export interface BackendContext {
  /** Database connections that this process may hold. */
  readonly poolSize: number;
  readonly workload: WorkloadShape;
  /** The file URL of the module that carries the operations out, for `importBinding`. */
  readonly binding: string | null;
}

/** What an RPC server does with operations. */
export interface RpcBackend {
  /**
   * One attempt of operation number `operation`, in one transaction. Never rejects for what a database can say: that
   * is a fault. The shared half tries again after `serialization-failure` and `deadlock`.
   */
  execute(operation: number, values: Values): OperationOutcome | Promise<OperationOutcome>;
  /** Settings read now in the sessions that do the timed work, under the database's own names. */
  settings(): Promise<Record<string, string>>;
  /** Closes pooled database connections and opens them anew, `poolSize` of them. */
  recycle(poolSize: number): Promise<void>;
  /** Requests of the control plane that are this server's own (a calibration target's tables). */
  control?(request: JsonObject): Promise<JsonObject>;
  close(): Promise<void>;
}

/** An RPC server is this and a `main.ts` that hands it to `runRpcServer`. */
export interface RpcServerImplementation<Settings> {
  readonly name: string;
  readonly settingsSchema: z.ZodType<Settings>;
  openBackend(settings: Settings, context: BackendContext): Promise<RpcBackend>;
}
