import type { Application, Endpoint, ProcessRef, ProvisionContext } from '@fair-bench/contract';
import { fetch } from 'undici';

/** Frameworks with an ORM take their time on a busy machine. */
const readyMsMax = 60_000;
const stopMsMax = 5_000;
const answerMsMax = 5_000;

/** A running application of the user's: its part of a deployment. */
export interface RunningApplication {
  readonly endpoint: Endpoint;
  /** Empty where it ran before. */
  readonly processes: readonly ProcessRef[];
  /** Rejects when it has ended or is not healthy. */
  check(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/**
 * The application of a target, in front of the database at `url`, started by its command; resolves when it is healthy. Rejects with the
 * target, the fact and the log.
 */
export async function startApplication(
  { target, options, supervisor }: ProvisionContext,
  database: string,
): Promise<RunningApplication> {
  const { application } = options;
  if (application === null)
    throw new Error(
      `${target}: no application is named; give it app: { command, operations } in the configuration`,
    );
  const { command, health, operations } = application;
  const endpointAt = (url: string): Endpoint => ({ url, options: { health, operations } });
  if (command === undefined) {
    const url = application.url ?? '';
    return {
      endpoint: endpointAt(url),
      processes: [],
      check: async (signal) => await checkAt(target, url, health, signal),
      close: () => Promise.resolve(),
    };
  }
  const port = await supervisor.freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = await supervisor.start({
    name: `${target}-application`,
    command: '/bin/sh',
    arguments: ['-c', command],
    workingDirectory: application.directory,
    environment: environmentOf(application, { database, port }),
    stopSignal: 'SIGTERM',
    stopTimeoutMs: stopMsMax,
    ready: {
      timeoutMs: readyMsMax,
      check: async () =>
        await checkAt(target, url, health, AbortSignal.timeout(answerMsMax)).then(
          () => true,
          () => false,
        ),
    },
  });
  return {
    endpoint: endpointAt(url),
    processes: [{ role: 'appServer', pid: child.pid }],
    async check(signal) {
      if (!child.running())
        throw new Error(`${target}: the application ended with ${await child.ended}; see ${child.logPath}`);
      await checkAt(target, url, health, signal);
    },
    close: async () => await child.stop(),
  };
}

function environmentOf(
  { env }: Application,
  { database, port }: { readonly database: string; readonly port: number },
): Record<string, string> {
  const filled = Object.entries(env).map(([name, value]) => [
    name,
    value.replaceAll('{url}', () => database).replaceAll('{port}', String(port)),
  ]);
  return { PORT: String(port), DATABASE_URL: database, ...Object.fromEntries(filled) };
}

async function checkAt(target: string, url: string, health: string, signal: AbortSignal): Promise<void> {
  const where = new URL(health, url).href;
  const { status } = await fetch(where, { signal });
  if (status !== 200)
    throw new Error(`${target}: ${where} answered ${status}; app.health is a path that answers 200`);
}
