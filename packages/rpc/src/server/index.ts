import { InputError, messageOf } from '@fair-bench/contract';
import cluster from 'node:cluster';
import { readServerSettings, type ServerSettings } from './env.ts';
import type { RpcServerImplementation } from './implementation.ts';
import { createControlApp } from './control-app.ts';
import { runWorker } from './worker.ts';
import { badBindingCode } from '../protocol.ts';
import { Workers } from './workers.ts';

export { type RpcBackend, type RpcServerImplementation } from './implementation.ts';
export type { EngineTables } from './served-tables.ts';
export { ownPool, PooledBackend, type PooledDatabase } from './pooled-backend.ts';
export { importBinding, type BoundOperations } from './operations.ts';

/** Everything must fit into the second that a stop may take. */
const stopWorkersMs = 600;
const stopMsMax = 900;
/** The pool may grow while the server runs, its threads cannot. */
const threadsMin = 128;

/**
 * Runs an RPC server: this process becomes the primary, which serves the control port and distributes connections to
 * worker processes. Settings come from the environment (PROTOCOL.md, "Starting a server"). One line on standard
 * output reports when every process listens. Ends within a second of SIGTERM or SIGINT with exit code 0, and with 1
 * when one of its processes is lost.
 */
export async function runRpcServer<Settings>(
  implementation: RpcServerImplementation<Settings>,
): Promise<void> {
  const settings = readServerSettings();
  if (cluster.isPrimary) await runPrimary(implementation, settings);
  else await runWorker(implementation, settings);
}

async function runPrimary(
  { name, hasThreadPerConnection }: Pick<RpcServerImplementation<never>, 'name' | 'hasThreadPerConnection'>,
  settings: ServerSettings,
): Promise<void> {
  const fail = (reason: string, code = 1): never => {
    process.stderr.write(`${name}: ${reason}\n`);
    process.exit(code);
  };
  try {
    // Node's own four threads would let no more than four connections work at the same time.
    const threads =
      hasThreadPerConnection === true ? Math.max(threadsMin, 2 * settings.poolSizePerProcess) : null;
    const workers = await Workers.fork(settings.processes, threads, fail);
    const control = createControlApp(name, settings, workers);
    await control.listen({ host: '127.0.0.1', port: settings.controlPort });
    const port = await workers.listen(settings.host, settings.port);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(workers));
    const address = control.server.address();
    if (address === null || typeof address === 'string') throw new Error('the control port has no number');
    const controlPort = address.port;
    process.stdout.write(`${JSON.stringify({ listening: { port, controlPort } })}\n`);
  } catch (error) {
    fail(messageOf(error), error instanceof InputError ? badBindingCode : 1);
  }
}

async function stop(workers: Workers): Promise<void> {
  setTimeout(() => process.exit(0), stopMsMax);
  await workers.stop(stopWorkersMs);
  process.exit(0);
}
