import type { JsonObject } from './primitives.ts';
import type { DataPlane, WorkloadShape } from './data-plane.ts';
import type { OperationByWorkload, WorkloadName } from './operation.ts';
import type { Outcome } from './outcome.ts';

/**
 * One client connection to a target: the data plane. The load client keeps at most `depth` calls of
 * `execute` outstanding.
 *
 * `execute` sends the operation at once (a session never queues or batches on its own), resolves when
 * the target's reply to it has arrived, and never rejects: what goes wrong is a fault. It is not resent
 * after a lost connection; the next call connects again. The operation object belongs to the caller,
 * who reuses it once the promise is settled.
 */
export interface Session<Operation> {
  execute(operation: Operation): Promise<Outcome>;
  /** Ends the connection; what is outstanding settles as a fault in doubt. Resolves when no handle is left. */
  close(): Promise<void>;
}

/** What a deployment tells the load client about where and how to connect. JSON, so that it travels. */
export type Endpoint = { readonly url: string; readonly options: JsonObject };

export interface SessionContext {
  /** The session's number, from 0, unique in the trial. */
  readonly index: number;
  /** The most operations that will be outstanding. */
  readonly depth: number;
  /** Bounds connecting. */
  readonly signal: AbortSignal;
}

export type ConnectSession<Operation> = (
  endpoint: Endpoint,
  context: SessionContext,
) => Promise<Session<Operation>>;

/** What a session is connected for: the operations that it is to carry out. */
export interface DataPlaneContext extends SessionContext {
  readonly workload: WorkloadShape;
}

/** A route's data plane, for any workload. */
export interface ClientModule {
  connect(endpoint: Endpoint, context: DataPlaneContext): Promise<DataPlane>;
}

/** The client module of a route that knows the transfer alone: `defineClient({ sessions: { transfer } })`. */
export interface SessionModule {
  readonly sessions: { readonly [W in WorkloadName]?: ConnectSession<OperationByWorkload[W]> };
}

/** Types a route's client module; its default export. */
export function defineClient(client: ClientModule): ClientModule;
export function defineClient(client: SessionModule): SessionModule;
export function defineClient(client: ClientModule | SessionModule): ClientModule | SessionModule {
  return client;
}
