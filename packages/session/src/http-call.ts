import type { BatchedOperation, DataPlaneContext, OperationOutcome, Values } from '@fair-bench/contract';

/** One operation as a POST of JSON, and the meaning of its reply. */
export interface HttpCall {
  readonly path: string;
  /** For an API whose calls differ: the method and the path of one; `path` is then without use. Only by undici. */
  lineOf?(values: Values): { readonly method: HttpMethod; readonly path: string };
  /** The request's body. */
  encode(values: Values): string;
  /** The body is only valid during the call. A throw leaves the operation in doubt. */
  outcome(status: number, body: Buffer): OperationOutcome;
}

/** Without a body for GET and DELETE. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Several operations as one POST of JSON. */
export interface HttpBatch {
  readonly path: string;
  encode(operations: readonly BatchedOperation[]): string;
  /** One for each operation. The body is only valid during the call. A throw leaves them in doubt. */
  outcomes(
    operations: readonly BatchedOperation[],
    status: number,
    body: Buffer,
  ): readonly OperationOutcome[];
}

/** A server of HTTP calls, and how many of them a session has outstanding. */
export interface HttpServer extends Pick<DataPlaneContext, 'depth' | 'signal'> {
  /** Only its scheme, host and port are used. */
  readonly url: string;
  /** A path that answers a GET with status 200. */
  readonly healthPath: string;
  /** By the operations' numbers. */
  readonly calls: readonly HttpCall[];
  /** Absent where the server has no batches. */
  readonly batch?: HttpBatch;
}

/** Throws unless it is the status of a server that is well. */
export function checkHealthy({ url, healthPath }: HttpServer, status: number): void {
  if (status === 200) return;
  throw new Error(`${new URL(healthPath, url).href} answered ${status}; is another server on this port?`);
}
