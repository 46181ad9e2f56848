import { InputError, messageOf } from '@fair-bench/contract';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { codecsOf } from '../codec/codec.ts';
import { createDataApp } from './app.ts';
import { createCarryOut } from './carry-out.ts';
import { createCarryOutBatch } from './carry-out-batch.ts';
import type { ServerSettings } from './env.ts';
import type { RpcBackend, RpcServerImplementation } from './implementation.ts';
import { connectionMessage, questionSchema, type Question, type WorkerMessage } from './ipc.ts';
import { ServedTables } from './served-tables.ts';
import { ServerLedger } from './server-ledger.ts';

type Answer = Extract<WorkerMessage, { answer: unknown }>['answer'];

/** One process of the server: opens a backend, serves connections, answers the primary, and ends with it. */
export async function runWorker<Settings>(
  implementation: RpcServerImplementation<Settings>,
  settings: ServerSettings,
): Promise<void> {
  process.on('disconnect', () => process.exit(0));
  // Ends only when the primary orders it, or ends itself.
  process.on('SIGTERM', () => {});
  process.on('SIGINT', () => {});
  const send = (message: WorkerMessage) => process.send?.(message);
  try {
    const worker = await openWorker(implementation, settings);
    process.on('message', (message, handle) => {
      if (message === connectionMessage) {
        worker.connect(handle);
        return;
      }
      const question = questionSchema.parse(message);
      worker.answer(question).then(
        (value) => send({ id: question.id, answer: value }),
        (error: unknown) => send({ id: question.id, error: messageOf(error) }),
      );
    });
    send({ ready: true });
  } catch (error) {
    send({ failed: messageOf(error), isInput: error instanceof InputError });
    process.exitCode = 1;
    process.disconnect?.();
  }
}

interface OpenWorker {
  /** Takes a connection that the primary accepted. */
  connect(handle: unknown): void;
  answer(question: Question): Promise<Answer>;
}

async function openWorker<Settings>(
  implementation: RpcServerImplementation<Settings>,
  settings: ServerSettings,
): Promise<OpenWorker> {
  const backend = await implementation.openBackend(
    parseBackendSettings(implementation.settingsSchema, settings.backend),
    { poolSize: settings.poolSizePerProcess, workload: settings.workload, binding: settings.binding },
  );
  const ledger = new ServerLedger();
  const operations = codecsOf(settings.workload).map((codec, number) => ({
    codec,
    carryOut: createCarryOut(backend, number, codec, settings.retriesMax),
  }));
  const batches = createCarryOutBatch(backend, codecsOf(settings.workload), settings.retriesMax);
  const app = createDataApp(operations, batches, ledger);
  const tables = backend.tables === undefined ? null : new ServedTables(backend.tables, settings.workload);
  await app.ready();
  // From this event on Node tracks connections, to time out slow requests and to close all.
  app.server.emit('listening');
  return {
    connect(handle) {
      // For a client that is already gone, the message has no socket.
      if (handle instanceof Socket) app.server.emit('connection', handle.resume());
    },
    answer: (question) => answer(question, { backend, tables, ledger, app }),
  };
}

function parseBackendSettings<Settings>(schema: z.ZodType<Settings>, value: unknown): Settings {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new Error(`its settings do not fit: ${parsed.error.message}`);
  return parsed.data;
}

interface WorkerParts {
  readonly backend: RpcBackend;
  readonly tables: ServedTables | null;
  readonly ledger: ServerLedger;
  readonly app: FastifyInstance;
}

async function answer(question: Question, { backend, tables, ledger, app }: WorkerParts): Promise<Answer> {
  switch (question.ask) {
    case 'counters':
      return ledger.counters();
    case 'in-flight':
      return ledger.inFlight();
    case 'reset-peak':
      ledger.resetPeak();
      break;
    case 'settings':
      return backend.settings();
    case 'runtime':
      return runningRuntime();
    case 'recycle':
      await backend.recycle(question.poolSize);
      break;
    case 'tables':
      if (tables === null) throw new Error('the rows of this server are in a database outside of it');
      return tables.answer(question.request);
    case 'stop':
      app.server.closeAllConnections();
      await Promise.all([app.close(), backend.close()]);
      break;
  }
  return null;
}

/**
 * The runtime of this process, with its version: `node v26.10.0`, `bun v1.4.5`. Bun and Deno also report a Node
 * version, that of the interfaces they imitate.
 */
function runningRuntime(): string {
  const { bun, deno } = process.versions;
  if (bun !== undefined) return `bun v${bun}`;
  if (deno !== undefined) return `deno v${deno}`;
  return `node ${process.version}`;
}
