import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type AppRuntime,
  type ClientCodec,
  clientCodecSchema,
  type Endpoint,
  type Facts,
  type InFlight,
  InputError,
  type JsonObject,
  type ProcessRef,
  type ProvisionContext,
  type Supervisor,
  type WorkCounters,
} from '@fair-bench/contract';
import { bindingOf, EndedEarly } from '@fair-bench/supervisor';
import { fetch } from 'undici';
import { z } from 'zod';
import {
  badBindingCode,
  listeningLineSchema,
  serverCountersSchema,
  serverFactsSchema,
  serverInFlightSchema,
} from '../protocol.ts';
import { runtimeCommand } from '../runtime.ts';
import { environmentOf, type ServerSettingsInput } from '../server/env.ts';

/** Loading an ORM has taken more than 20 s on two busy cores. */
const readyMsMax = 60_000;
const stopMsMax = 2_000;
const answerMsMax = 30_000;

/** The protocol of the load client when it uses an RPC server. */
export const rpcWireProtocol = 'http/1.1 json';

/** Where load clients reach an RPC server; the native client ignores the codec. */
export function rpcEndpoint(url: string, codec: ClientCodec): Endpoint {
  return { url, options: codec === 'stock' ? {} : { codec } };
}

interface RpcServerOptions {
  /** Names the process in messages and its log file. */
  readonly name: string;
  /** The module that calls `runRpcServer`, as an absolute path. */
  readonly modulePath: string;
  /** The runtime of the module and its workers. */
  readonly runtime: AppRuntime;
  readonly settings: ServerSettingsInput;
}

/** A running application server: its part of a deployment, over its control port. */
export interface AppServer {
  readonly processes: readonly ProcessRef[];
  /** Rejects when the server has ended or its control port does not answer. */
  check(signal: AbortSignal): Promise<void>;
  /** The server's facts, and the database's settings in the server's own sessions. */
  facts(signal: AbortSignal): Promise<{
    readonly appServer: NonNullable<Facts['appServer']>;
    readonly settings: Record<string, string>;
  }>;
  /** Reopens the database connections, with so many over all processes if given, and resets the in-flight peak. */
  recycle(signal: AbortSignal, poolSize?: number): Promise<void>;
  /** Closes the database connections until they are used, or recycled. */
  rest(signal: AbortSignal): Promise<void>;
  counters(signal: AbortSignal): Promise<Pick<WorkCounters, 'applied' | 'retries'>>;
  inFlight(signal: AbortSignal): Promise<InFlight>;
  close(): Promise<void>;
}

/** A running server: the address of its data port, for the endpoint, and its control port. */
interface RunningRpcServer {
  readonly url: string;
  readonly pid: number;
  readonly appServer: AppServer;
  readonly ask: Ask;
}

/** Asks a server's control port. Every call is bounded and rejects with the server's own reason. */
export type Ask = <Answer>(
  request: `${'GET' | 'POST'} /${string}`,
  schema: z.ZodType<Answer>,
  signal: AbortSignal,
  body?: JsonObject,
) => Promise<Answer>;

const healthSchema = z.object({ status: z.literal('ok') });

/**
 * Starts an RPC server under the supervisor and resolves when all its processes listen. An InputError names a mistake
 * in its binding.
 */
export async function startRpcServer(
  supervisor: Supervisor,
  options: RpcServerOptions,
): Promise<RunningRpcServer> {
  const { name } = options;
  // Ports of its own: a server that is started again after a kill takes the same ones.
  const addressed = {
    port: await supervisor.freePort(),
    controlPort: await supervisor.freePort(),
    ...options.settings,
  };
  const runtime = runtimeCommand(options.runtime);
  const starting = supervisor.start({
    name,
    command: runtime.command,
    arguments: [...runtime.arguments, options.modulePath],
    // The place from which a runtime resolves packages.
    workingDirectory: dirname(options.modulePath),
    environment: environmentOf(addressed),
    stopSignal: 'SIGTERM',
    stopTimeoutMs: stopMsMax,
    ready: { timeoutMs: readyMsMax, check: (output) => listeningIn(output) !== null },
  });
  const child = await starting.catch((error: unknown) => {
    if (!(error instanceof EndedEarly) || error.exitCode !== badBindingCode) throw error;
    throw new InputError(error.message, { cause: error });
  });
  const listening = listeningIn(child.output());
  if (listening === null) {
    await child.stop();
    throw new Error(`${name}: its listening line is gone; see ${child.logPath}`);
  }
  const host = options.settings.host ?? '127.0.0.1';
  const ask = controlPort(name, `http://127.0.0.1:${listening.controlPort}`);
  return {
    url: `http://${host}:${listening.port}`,
    pid: child.pid,
    ask,
    appServer: {
      processes: [{ role: 'appServer', pid: child.pid }],
      async check(signal) {
        if (!child.running())
          throw new Error(`${name}: ended with ${await child.ended}; see ${child.logPath}`);
        await ask('GET /health', healthSchema, signal);
      },
      async facts(signal) {
        const { server: _name, settings, ...facts } = await ask('GET /facts', serverFactsSchema, signal);
        return { appServer: { ...facts, keepAlive: true }, settings };
      },
      async recycle(signal, poolSize) {
        const body = poolSize === undefined ? {} : poolOf(poolSize, options.settings.processes);
        await ask('POST /recycle', healthSchema, signal, body);
        await ask('POST /in-flight/reset', healthSchema, signal);
      },
      rest: async (signal) => void (await ask('POST /rest', healthSchema, signal)),
      async counters(signal) {
        const { applied, retries } = await ask('GET /counters', serverCountersSchema, signal);
        return { applied, retries };
      },
      inFlight: async (signal) => ({
        peak: (await ask('GET /in-flight', serverInFlightSchema, signal)).peak,
      }),
      close: () => child.stop(),
    },
  };
}

/** Connections are divided evenly over the processes. */
function poolOf(poolSize: number, processes = 1): { readonly poolSizePerProcess: number } {
  return { poolSizePerProcess: Math.ceil(poolSize / processes) };
}

interface AppServerOptions extends Pick<
  ServerSettingsInput,
  'processes' | 'port' | 'controlPort' | 'backend'
> {
  /** The binding's file, in the folder of the workload, or the first of several that is there. */
  readonly file: string | readonly string[];
  readonly modulePath: string;
  readonly runtime?: AppRuntime;
  /** Connections over all processes. */
  readonly poolSize: number;
  /** The server's own default unless given. */
  readonly retriesMax?: number | undefined;
}

/** The application server of a target, which carries out its binding: in front of its database, or with the engine inside. */
export async function startAppServer(
  { target, options, supervisor }: ProvisionContext,
  { file, modulePath, runtime = 'node', poolSize, ...settings }: AppServerOptions,
): Promise<
  Pick<RunningRpcServer, 'appServer' | 'ask'> & {
    readonly endpoint: Endpoint;
    readonly clientCodec: ClientCodec;
  }
> {
  const { workload, path } = bindingOf(target, options, file);
  const { clientCodec } = z.object({ clientCodec: clientCodecSchema.default('stock') }).parse(options.extra);
  const { url, appServer, ask } = await startRpcServer(supervisor, {
    name: `${target}-server`,
    modulePath,
    runtime,
    settings: {
      ...settings,
      ...poolOf(poolSize, settings.processes),
      workload: workload.shape,
      binding: pathToFileURL(path).href,
    },
  });
  return { endpoint: rpcEndpoint(url, clientCodec), clientCodec, appServer, ask };
}

/** `server` names the server in errors; `origin` is `http://127.0.0.1:<control port>`. */
function controlPort(server: string, origin: string): Ask {
  return async (request, schema, signal, body = {}) => {
    const where = `${server}: ${request} of its control port ${origin}`;
    const [method = '', path = ''] = request.split(' ');
    let status: number;
    let value: unknown;
    try {
      const response = await fetch(`${origin}${path}`, {
        method,
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)]),
        ...(method === 'POST' && {
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
      });
      status = response.status;
      value = await response.json();
    } catch (cause) {
      throw new Error(`${where} did not answer; see its log`, { cause });
    }
    if (status !== 200) throw new Error(`${where} answered ${status}: ${JSON.stringify(value)}`);
    const parsed = schema.safeParse(value);
    if (!parsed.success) {
      throw new Error(`${where} answered ${JSON.stringify(value)}`, { cause: parsed.error });
    }
    return parsed.data;
  };
}

function listeningIn(output: string): { port: number; controlPort: number } | null {
  const line = output.split('\n', 1)[0] ?? '';
  if (!output.includes('\n')) return null;
  return listeningLineSchema.parse(JSON.parse(line)).listening;
}
