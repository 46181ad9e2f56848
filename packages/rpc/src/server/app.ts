import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';
import { refused, type OperationOutcome } from '@fair-bench/contract';
import type { OperationCodec } from '../codec/codec.ts';
import { encodeOutcome, statusOf } from '../codec/outcome.ts';
import { healthPath, jsonContentType } from '../protocol.ts';
import { batchPath } from '../codec/batch.ts';
import { serveBatches } from './batch-route.ts';
import type { CarryOut } from './carry-out.ts';
import type { CarryOutBatch } from './carry-out-batch.ts';
import type { ServerLedger } from './server-ledger.ts';

const requestMsMax = 30_000;
/** Above this many outstanding requests new ones are refused: the queue before the database is bounded. */
const inHandMax = 100_000;

/** One operation that the data port serves. */
interface ServedOperation {
  readonly codec: OperationCodec;
  readonly carryOut: CarryOut;
}

/** The data port: operations, batches of them where the backend can, and a health check, nothing else. */
export function createDataApp(
  operations: readonly ServedOperation[],
  carryOutBatch: CarryOutBatch | null,
  ledger: ServerLedger,
): FastifyInstance {
  const app = fastify({
    logger: false,
    requestTimeout: requestMsMax,
    routerOptions: { caseSensitive: true },
    return503OnClosing: false,
    exposeHeadRoutes: false,
    // Invalid requests are refused: nothing is converted to another type.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    frameworkErrors: (error, _request, reply) => refuse(reply, error.message, 400),
    // Replies come in order: a reply to garbage could be read as the reply to an operation in progress.
    clientErrorHandler: (_error, socket) => socket.destroySoon(),
  });

  // Sessions outlive any pause; 0, which fastify's own option does not allow, also saves a header in every reply.
  app.server.keepAliveTimeout = 0;

  for (const { codec, carryOut } of operations) {
    const { path, bodySchema: body, bodyBytesMax: bodyLimit } = codec;
    app.post(path, { schema: { body }, bodyLimit }, (request, reply) => {
      const outcome =
        ledger.enter() > inHandMax
          ? refused('overloaded', 'too many requests in hand')
          : carryOut(request.body);
      if (!(outcome instanceof Promise)) finish(reply, outcome);
      else void outcome.then((settled) => finish(reply, settled));
    });
  }

  if (carryOutBatch !== null) {
    const codecs = operations.map(({ codec }) => codec);
    const answerFault = (reply: FastifyReply, outcome: OperationOutcome): void =>
      answer(reply, outcome, statusOf(outcome));
    serveBatches(app, { codecs, carryOut: carryOutBatch, ledger, answer: answerFault });
  }

  app.get(healthPath, (_request, reply) => {
    void reply.header('content-type', jsonContentType).send('{"status":"ok"}');
  });

  const paths = new Set([
    healthPath,
    ...(carryOutBatch === null ? [] : [batchPath]),
    ...operations.map(({ codec }) => codec.path),
  ]);
  app.setNotFoundHandler((request, reply) => {
    if (paths.has(request.url)) refuse(reply, 'this path takes another method', 405);
    else refuse(reply, 'there is no such path', 404);
  });

  app.setErrorHandler((error, _request, reply) => {
    const status = statusOfError(error);
    if (status < 500) {
      refuse(reply, describe(error), status);
      return;
    }
    process.stderr.write(`request failed: ${describe(error)}\n`);
    answer(reply, refused('server-error', 'the server failed; its log says why'), status);
  });

  function finish(reply: FastifyReply, outcome: OperationOutcome): void {
    ledger.leave();
    answer(reply, outcome, statusOf(outcome));
  }

  function refuse(reply: FastifyReply, message: string, status: number): void {
    answer(reply, refused('invalid-request', message), status);
  }

  function answer(reply: FastifyReply, outcome: OperationOutcome, status: number): void {
    ledger.count(outcome);
    void reply.code(status).header('content-type', jsonContentType).send(encodeOutcome(outcome));
  }

  return app;
}

function statusOfError(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return 500;
  return typeof error.statusCode === 'number' && error.statusCode >= 400 ? error.statusCode : 500;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
