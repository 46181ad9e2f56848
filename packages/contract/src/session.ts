import type { JsonObject } from './primitives.ts';
import type { DataPlane, WorkloadShape } from './data-plane.ts';

/** Where and how the load client connects. JSON, because it crosses processes. */
export type Endpoint = { readonly url: string; readonly options: JsonObject };

/** What a session will execute, and where in the trial. */
export interface DataPlaneContext {
  /** The session's number, from 0, unique in the trial. */
  readonly index: number;
  /** The most operations that will be outstanding. */
  readonly depth: number;
  /** Bounds connecting. */
  readonly signal: AbortSignal;
  readonly workload: WorkloadShape;
}

/** A route's data plane, for any workload. */
export interface ClientModule {
  connect(endpoint: Endpoint, context: DataPlaneContext): Promise<DataPlane>;
}

/** Types a route's client module; its default export. */
export function defineClient(client: ClientModule): ClientModule {
  return client;
}
