import type { Facts, InFlight, ProcessRef, WorkCounters } from '@fair-bench/contract';
import type { RunningRpcServer } from './start-server.ts';

/** The application server's part of a deployment, over its control port. */
export interface AppServer {
  readonly processes: readonly ProcessRef[];
  check(signal: AbortSignal): Promise<void>;
  /** The server's facts, and the database's settings in the server's own sessions. */
  facts(signal: AbortSignal): Promise<{
    readonly appServer: NonNullable<Facts['appServer']>;
    readonly settings: Record<string, string>;
  }>;
  /** Reopens the database connections, with the given number per process, and resets the in-flight peak. */
  recycle(signal: AbortSignal, poolSizePerProcess?: number): Promise<void>;
  counters(signal: AbortSignal): Promise<Pick<WorkCounters, 'applied' | 'retries'>>;
  inFlight(signal: AbortSignal): Promise<InFlight>;
  close(): Promise<void>;
}

/** The protocol of the load client when it uses an RPC server. */
export const rpcWireProtocol = 'http/1.1 json, pipelined';

export function appServerOf(server: RunningRpcServer): AppServer {
  const { control } = server;
  return {
    processes: [{ role: 'appServer', pid: server.pid }],
    check: (signal) => server.check(signal),
    async facts(signal) {
      const { runtime, processes, poolSizePerProcess, retriesMax, settings } = await control.facts(signal);
      return { appServer: { runtime, processes, poolSizePerProcess, retriesMax, keepAlive: true }, settings };
    },
    async recycle(signal, poolSizePerProcess) {
      await control.recycle(signal, poolSizePerProcess);
      await control.resetInFlight(signal);
    },
    async counters(signal) {
      const { applied, retries } = await control.counters(signal);
      return { applied, retries };
    },
    inFlight: async (signal) => ({ peak: (await control.inFlight(signal)).peak }),
    close: () => server.stop(),
  };
}
