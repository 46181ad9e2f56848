import type { FastifyInstance, FastifyReply } from 'fastify';
import { type OperationOutcome, refused } from '@fair-bench/contract';
import { batchBytesMax, batchPath, batchSchema, encodeOutcomes } from '../codec/batch.ts';
import type { OperationCodec } from '../codec/codec.ts';
import { jsonContentType } from '../protocol.ts';
import type { CarryOutBatch } from './carry-out-batch.ts';
import type { ServerLedger } from './server-ledger.ts';

/** Above this many outstanding operations of batches new ones are refused. */
const inHandMax = 2_000_000;

interface Batches {
  readonly codecs: readonly OperationCodec[];
  readonly carryOut: CarryOutBatch;
  readonly ledger: ServerLedger;
  /** Counts the outcome once, and sends it. */
  readonly answer: (reply: FastifyReply, outcome: OperationOutcome) => void;
}

/** The path of batches on the data port: operations in, an outcome for each out, or the fault of all. */
export function serveBatches(app: FastifyInstance, { codecs, carryOut, ledger, answer }: Batches): void {
  const options = { schema: { body: batchSchema(codecs) }, bodyLimit: batchBytesMax };
  app.post(batchPath, options, async (request, reply) => {
    const count = Array.isArray(request.body) ? request.body.length : 0;
    const carried =
      ledger.enter(count) > inHandMax
        ? { fault: refused('overloaded', 'too many operations in hand') }
        : await carryOut(request.body);
    ledger.leave(count);
    if ('fault' in carried) {
      for (let left = count; left > 1; left -= 1) ledger.count(carried.fault);
      answer(reply, carried.fault);
    } else {
      for (const outcome of carried.outcomes) ledger.count(outcome);
      void reply.header('content-type', jsonContentType).send(encodeOutcomes(carried.outcomes));
    }
    return await reply;
  });
}
