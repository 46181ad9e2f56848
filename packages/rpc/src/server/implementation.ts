import type { z } from 'zod';
import type { JsonObject, Outcome } from '@fair-bench/contract';

/** What every server process tells the backend that it opens. */
export interface BackendContext {
  /** Database connections that this process may hold. */
  readonly poolSize: number;
}

/**
 * What an RPC server does with a transfer. The shared half has already decided what needs no database:
 * amounts beyond 64 bits, amounts of zero and below, an account to itself. A backend sees two different
 * accounts and a positive amount.
 */
export interface RpcBackend {
  /**
   * One attempt, in one transaction. Never rejects for what a database can say: that is a fault. The
   * shared half tries again after `serialization-failure` and `deadlock`.
   */
  transfer(source: number, target: number, amount: bigint): Outcome | Promise<Outcome>;
  /** Settings read now in the sessions that do the timed work, under the database's own names. */
  settings(): Promise<Record<string, string>>;
  /** Closes pooled database connections and opens them anew. */
  recycle(): Promise<void>;
  /** Requests of the control plane that are this server's own (a calibration target's dataset). */
  control?(request: JsonObject): Promise<JsonObject>;
  close(): Promise<void>;
}

/** An RPC server is this and a `main.ts` that hands it to `runRpcServer`. */
export interface RpcServerImplementation<Settings> {
  readonly name: string;
  readonly settingsSchema: z.ZodType<Settings>;
  openBackend(settings: Settings, context: BackendContext): Promise<RpcBackend>;
}
