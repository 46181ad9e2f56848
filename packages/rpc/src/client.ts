import {
  type ClientModule,
  clientCodecSchema,
  type DataPlane,
  type DataPlaneContext,
  type Endpoint,
  type Values,
} from '@fair-bench/contract';
import { type HttpBatch, httpSession } from '@fair-bench/session';
import { z } from 'zod';
import { batchPath, decodeBatch, encodeBatch } from './codec/batch.ts';
import { codecsOf } from './codec/codec.ts';
import { decodeOutcome } from './codec/outcome.ts';
import { healthPath } from './protocol.ts';

/** The client module of every route that speaks the RPC protocol. */
export const rpcClient: ClientModule = { connect: connectRpc };

const optionsSchema = z.strictObject({ codec: clientCodecSchema.default('stock') });

/**
 * Opens a session of the RPC protocol at `endpoint.url`, by undici or, with the option `codec` tuned, by our own HTTP
 * client. Resolves when the server has answered; rejects when it does not, or when `context.signal` aborts.
 */
export async function connectRpc(
  { url, options }: Endpoint,
  { depth, signal, workload }: DataPlaneContext,
): Promise<DataPlane> {
  const { codec: clientCodec } = optionsSchema.parse(options);
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
  return await httpSession({ url, healthPath, calls, batch, depth, signal }, clientCodec);
}
