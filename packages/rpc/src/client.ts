import type { ClientModule, DataPlane, DataPlaneContext, Endpoint, Values } from '@fair-bench/contract';
import { type HttpBatch, httpSession } from '@fair-bench/session';
import { batchPath, decodeBatch, encodeBatch } from './codec/batch.ts';
import { codecsOf } from './codec/codec.ts';
import { decodeOutcome } from './codec/outcome.ts';
import { healthPath } from './protocol.ts';

/** The client module of every route that speaks the RPC protocol. */
export const rpcClient: ClientModule = { connect: connectRpc };

/**
 * Opens a session of the RPC protocol: one keep-alive connection to `endpoint.url`, on which operations are pipelined.
 * Resolves when the server has answered; rejects when it does not, or when `context.signal` aborts.
 */
export async function connectRpc(
  { url }: Endpoint,
  { signal, workload }: DataPlaneContext,
): Promise<DataPlane> {
  const codecs = codecsOf(workload);
  const calls = codecs.map((codec) => ({
    path: codec.path,
    encode: (values: Values) => codec.encode(values),
    outcome: (status: number, body: Buffer) => decodeOutcome(codec, status, body),
  }));
  const batch: HttpBatch = {
    path: batchPath,
    encode: (operations) => encodeBatch(codecs, operations),
    outcomes: (operations, status, body) => decodeBatch(codecs, operations, status, body),
  };
  return await httpSession({ url, healthPath, calls, batch, signal });
}
