import { fastify, type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { messageOf } from '@fair-bench/contract';
import {
  serverCountersSchema,
  type ServerFacts,
  serverInFlightSchema,
  tablesAnswerSchema,
  tablesRequestSchema,
} from '../protocol.ts';
import type { ServerSettings } from './env.ts';
import { settingsAnswerSchema } from './ipc.ts';
import type { Workers } from './workers.ts';

const controlBodyBytesMax = 67_108_864;
const tablesMsMax = 300_000;
const recycleSchema = z.strictObject({ poolSizePerProcess: z.int().min(1).optional() });

/** The control port, served by the primary on the loopback interface: slow, and separate from the data. */
export function createControlApp(name: string, settings: ServerSettings, workers: Workers): FastifyInstance {
  const app = fastify({ logger: false, bodyLimit: controlBodyBytesMax, forceCloseConnections: true });
  let { poolSizePerProcess } = settings;

  app.get('/health', () => ({ status: 'ok' }));

  app.get('/facts', async (): Promise<ServerFacts> => {
    const answers = z.array(settingsAnswerSchema).parse(await workers.ask({ ask: 'settings' }));
    const runtimes = z.array(z.string()).parse(await workers.ask({ ask: 'runtime' }));
    return {
      server: name,
      runtime: together(runtimes),
      processes: settings.processes,
      poolSizePerProcess,
      retriesMax: settings.retriesMax,
      settings: agreed(answers),
    };
  });

  app.get('/counters', async () => {
    const answers = z.array(serverCountersSchema).parse(await workers.ask({ ask: 'counters' }));
    const sum = { applied: 0, declined: 0, faults: 0, retries: 0 };
    for (const one of answers) {
      sum.applied += one.applied;
      sum.declined += one.declined;
      sum.faults += one.faults;
      sum.retries += one.retries;
    }
    return sum;
  });

  app.get('/in-flight', async () => {
    const answers = z.array(serverInFlightSchema).parse(await workers.ask({ ask: 'in-flight' }));
    return answers.reduce((sum, one) => ({ now: sum.now + one.now, peak: sum.peak + one.peak }));
  });

  app.post('/in-flight/reset', async () => {
    await workers.ask({ ask: 'reset-peak' });
    return { status: 'ok' };
  });

  app.post('/recycle', async ({ body }) => {
    ({ poolSizePerProcess = poolSizePerProcess } = recycleSchema.parse(body));
    await workers.ask({ ask: 'recycle', poolSize: poolSizePerProcess });
    return { status: 'ok' };
  });

  app.post('/rest', async () => {
    await workers.ask({ ask: 'recycle', poolSize: 0 });
    return { status: 'ok' };
  });

  app.post('/tables', async ({ body }) => {
    if (settings.processes !== 1) throw new Error('each process has its own rows: start it with one process');
    const [rows] = await workers.ask(
      { ask: 'tables', request: tablesRequestSchema.parse(body) },
      tablesMsMax,
    );
    return tablesAnswerSchema.parse({ rows });
  });

  app.setErrorHandler((error, _request, reply) => {
    void reply.code(500).send({ error: messageOf(error) });
  });

  return app;
}

/** Settings of all processes as one; where processes differ, every value is shown, and no profile matches. */
function agreed(all: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const names = new Set(all.flatMap((settings) => Object.keys(settings)));
  const entries = [...names].map((name): [string, string] => {
    return [name, together(all.map((settings) => settings[name] ?? '(absent)'))];
  });
  return Object.fromEntries(entries);
}

function together(values: readonly string[]): string {
  return [...new Set(values)].join(' | ');
}
