import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { createDataApp } from './app.ts';
import type { ServerSettings } from './env.ts';
import type { RpcBackend, RpcServerImplementation } from './implementation.ts';
import { questionSchema, type Question, type WorkerMessage } from './ipc.ts';
import { ServerLedger } from './server-ledger.ts';
import { createTransact } from './transfer.ts';

type Answer = Extract<WorkerMessage, { answer: unknown }>['answer'];

/** One process of the server: opens a backend, serves the data port, answers the primary. Ends with the primary. */
export async function runWorker<Settings>(
  implementation: RpcServerImplementation<Settings>,
  settings: ServerSettings,
): Promise<void> {
  process.on('disconnect', () => process.exit(0));
  // The primary says when: it asks for an orderly stop, and its own end is this process's end.
  process.on('SIGTERM', () => {});
  process.on('SIGINT', () => {});
  const send = (message: WorkerMessage) => process.send?.(message);
  try {
    const worker = await openWorker(implementation, settings);
    process.on('message', (message) => {
      const question = questionSchema.parse(message);
      worker.answer(question).then(
        (value) => send({ id: question.id, answer: value }),
        (error: unknown) =>
          send({ id: question.id, error: error instanceof Error ? error.message : String(error) }),
      );
    });
    send({ listening: worker.port });
  } catch (error) {
    send({ failed: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
    process.disconnect?.();
  }
}

async function openWorker<Settings>(
  implementation: RpcServerImplementation<Settings>,
  settings: ServerSettings,
): Promise<{ port: number; answer: (question: Question) => Promise<Answer> }> {
  const backend = await implementation.openBackend(
    parseBackendSettings(implementation.settingsSchema, settings.backend),
    { poolSize: settings.poolSizePerProcess },
  );
  const ledger = new ServerLedger();
  const app = createDataApp(createTransact(backend, settings.retriesMax), ledger);
  await app.listen({ host: settings.host, port: settings.port, backlog: 4096 });
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the data port has no number');
  return { port: address.port, answer: (question) => answer(question, backend, ledger, app) };
}

function parseBackendSettings<Settings>(schema: z.ZodType<Settings>, value: unknown): Settings {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new Error(`its settings do not fit: ${parsed.error.message}`);
  return parsed.data;
}

async function answer(
  question: Question,
  backend: RpcBackend,
  ledger: ServerLedger,
  app: FastifyInstance,
): Promise<Answer> {
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
    case 'recycle':
      await backend.recycle();
      break;
    case 'backend':
      if (backend.control === undefined) throw new Error('this server has no requests of its own');
      return backend.control(question.request);
    case 'stop':
      app.server.closeAllConnections();
      await Promise.all([app.close(), backend.close()]);
      break;
  }
  return null;
}
