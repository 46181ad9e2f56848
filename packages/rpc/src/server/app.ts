import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';
import { refused, type Outcome, type TransferJson } from '@fair-bench/contract';
import {
  bodyBytesMax,
  encodeOutcome,
  healthPath,
  jsonContentType,
  statusOf,
  transferBodySchema,
  transferPath,
} from '../protocol.ts';
import type { ServerLedger } from './server-ledger.ts';
import type { Transact } from './transfer.ts';

/** More requests in hand than this are refused: the queue before the database is bounded. */
const inHandMax = 100_000;

/** The data port: transfers and a health check, nothing else. */
export function createDataApp(transact: Transact, ledger: ServerLedger): FastifyInstance {
  // The request that was understood last on each socket: a reply to it may be under way.
  const latest: LatestRequests = new WeakMap();
  const app = fastify({
    logger: false,
    bodyLimit: bodyBytesMax,
    requestTimeout: 30_000,
    routerOptions: { caseSensitive: true },
    return503OnClosing: false,
    exposeHeadRoutes: false,
    // Requests are refused as they are: nothing is converted to the type that it should have.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    // Node would answer a request without a Host header itself, with an empty body.
    http: { requireHostHeader: false },
    // No hook has counted a request whose URL cannot be decoded.
    frameworkErrors: (error, _request, reply) => {
      reply.hijack();
      answerRaw(reply.raw, 400, error.message);
    },
    clientErrorHandler: (error, socket) => answerGarbage(error, socket, latest),
  });

  // Sessions outlive any pause; 0, which fastify's own option cannot say, also spares every reply a header.
  app.server.keepAliveTimeout = 0;
  app.server.on('checkExpectation', (_request, response) =>
    answerRaw(response, 417, 'this server knows no Expect header but 100-continue'),
  );

  app.addHook('onRequest', (request, reply, done) => {
    latest.set(request.raw.socket, request.raw);
    if (ledger.enter() > inHandMax) finish(reply, refused('overloaded', 'too many requests in hand'));
    else if (request.headers.host === undefined)
      finish(reply, refused('invalid-request', 'there is no Host header'), 400);
    else done();
  });

  app.post<{ Body: TransferJson }>(
    transferPath,
    { schema: { body: transferBodySchema } },
    (request, reply) => {
      const outcome = transact(request.body);
      if (!(outcome instanceof Promise)) finish(reply, outcome);
      else void outcome.then((settled) => finish(reply, settled));
    },
  );

  app.get(healthPath, (_request, reply) => {
    ledger.leave();
    void reply.header('content-type', jsonContentType).send('{"status":"ok"}');
  });

  app.setNotFoundHandler((request, reply) => {
    const known = request.url === transferPath || request.url === healthPath;
    const message = known ? 'this path takes another method' : 'there is no such path';
    finish(reply, refused('invalid-request', message), known ? 405 : 404);
  });

  app.setErrorHandler((error, _request, reply) => {
    const status = statusOfError(error);
    if (status >= 500) process.stderr.write(`request failed: ${describe(error)}\n`);
    finish(
      reply,
      status < 500
        ? refused('invalid-request', describe(error))
        : refused('server-error', 'the server failed; its log says why'),
      status,
    );
  });

  function finish(reply: FastifyReply, outcome: Outcome, status = statusOf(outcome)): void {
    ledger.leave();
    ledger.count(outcome);
    void reply.code(status).header('content-type', jsonContentType).send(encodeOutcome(outcome));
  }

  return app;
}

/** A refusal where fastify takes no part. */
function answerRaw(response: ServerResponse, status: number, message: string): void {
  const body = encodeOutcome(refused('invalid-request', message));
  response.writeHead(status, { 'content-type': jsonContentType, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

function statusOfError(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return 500;
  return typeof error.statusCode === 'number' && error.statusCode >= 400 ? error.statusCode : 500;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

type LatestRequests = WeakMap<Socket, IncomingMessage>;

const garbageReplies: Readonly<Record<string, readonly [number, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'the headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'the request did not arrive in time'],
};

/**
 * Answers bytes that are no HTTP request, and closes. On a connection that has carried a request the
 * close alone must do: replies come in order, so this one could be read as the reply to a transfer
 * that is still being applied.
 */
function answerGarbage(error: Error & { code?: string }, socket: Socket, latest: LatestRequests): void {
  const request = latest.get(socket);
  if (request?.complete === false) {
    // Node tells whoever reads the body that it broke off; Bun closes the request without a word.
    request.once('close', () => request.errored ?? request.emit('error', error));
  }
  if (socket.writable && request === undefined) {
    const [status, reason, message] = garbageReplies[error.code ?? ''] ?? [
      400,
      'Bad Request',
      'the bytes received are no HTTP/1.1 request',
    ];
    const body = encodeOutcome(refused('invalid-request', message));
    socket.write(
      `HTTP/1.1 ${status} ${reason}\r\nconnection: close\r\ncontent-type: ${jsonContentType}\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  }
  socket.destroySoon();
}
