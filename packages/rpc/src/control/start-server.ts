import { dirname } from 'node:path';
import type { AppRuntime, SupervisedProcess, Supervisor } from '@fair-bench/contract';
import { listeningLineSchema } from '../protocol.ts';
import { runtimeCommand } from '../runtime.ts';
import { environmentOf, type ServerSettingsInput } from '../server/env.ts';
import { ControlClient } from './control-client.ts';

/** Loading an ORM has taken more than 20 s on two busy cores. */
const readyMsMax = 60_000;
const stopMsMax = 2_000;

export interface RpcServerOptions {
  /** Names the process in messages and its log file. */
  readonly name: string;
  /** The module that calls `runRpcServer`, as an absolute path. */
  readonly modulePath: string;
  /** The runtime of the module and its workers. */
  readonly runtime: AppRuntime;
  readonly settings: ServerSettingsInput;
}

/** A running server: the address of its data port, and its control port. */
export interface RunningRpcServer {
  /** `http://127.0.0.1:<port>`: goes into the endpoint. */
  readonly url: string;
  readonly pid: number;
  readonly control: ControlClient;
  /** Rejects when the server has ended or its control port does not answer. */
  check(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an RPC server under the supervisor and resolves when all its processes listen. */
export async function startRpcServer(
  supervisor: Supervisor,
  options: RpcServerOptions,
): Promise<RunningRpcServer> {
  const { name } = options;
  const runtime = runtimeCommand(options.runtime);
  const child = await supervisor.start({
    name,
    command: runtime.command,
    arguments: [...runtime.arguments, options.modulePath],
    // The place from which a runtime resolves packages.
    workingDirectory: dirname(options.modulePath),
    environment: environmentOf(options.settings),
    stopSignal: 'SIGTERM',
    stopTimeoutMs: stopMsMax,
    ready: { timeoutMs: readyMsMax, check: (output) => listeningIn(output) !== null },
  });
  const listening = listeningIn(child.output());
  if (listening === null) {
    await child.stop();
    throw new Error(`${name}: its listening line is gone; see ${child.logPath}`);
  }
  const host = options.settings.host ?? '127.0.0.1';
  const control = new ControlClient(name, `http://127.0.0.1:${listening.controlPort}`);
  return {
    url: `http://${host}:${listening.port}`,
    pid: child.pid,
    control,
    check: (signal) => check(child, name, control, signal),
    stop: () => child.stop(),
  };
}

async function check(
  child: SupervisedProcess,
  name: string,
  control: ControlClient,
  signal: AbortSignal,
): Promise<void> {
  if (!child.running()) throw new Error(`${name}: ended with ${await child.ended}; see ${child.logPath}`);
  await control.check(signal);
}

function listeningIn(output: string): { port: number; controlPort: number } | null {
  const line = output.split('\n', 1)[0] ?? '';
  if (!output.includes('\n')) return null;
  return listeningLineSchema.parse(JSON.parse(line)).listening;
}
