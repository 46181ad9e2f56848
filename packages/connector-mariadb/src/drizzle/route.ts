import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Deployment, RouteDefinition } from '@fair-bench/contract';
import { type AppServer, rpcWireProtocol, startRpcServer } from '@fair-bench/rpc';
import { bindingOf, withBinding } from '@fair-bench/supervisor';
import { system } from '../system.ts';

const bindingFile = 'mariadb-drizzle.ts';

/** MariaDB behind an HTTP server that uses Drizzle ORM. Server and tables are those of the route by the driver. */
export function drizzleRoute(driver: RouteDefinition): RouteDefinition {
  return {
    probe: withBinding(bindingFile, async (options) => await driver.probe(options)),
    async provision(context) {
      const { target, options, supervisor } = context;
      const { workload, path } = bindingOf(target, options, bindingFile);
      const server = await driver.provision(context);
      const { url, appServer } = await startRpcServer(supervisor, {
        name: `${target}-server`,
        modulePath: fileURLToPath(new URL('main.ts', import.meta.url)),
        runtime: 'node',
        settings: {
          processes: options.processes,
          poolSizePerProcess: Math.ceil(options.poolSize / options.processes),
          workload: workload.shape,
          binding: pathToFileURL(path).href,
          backend: { url: server.endpoint.url },
        },
      });
      return behind(server, { url, appServer, processes: options.processes });
    },
  };
}

interface InFront {
  readonly url: string;
  readonly appServer: AppServer;
  readonly processes: number;
}

/** A database whose sessions are those of an application server. */
function behind(server: Deployment, { url, appServer, processes }: InFront): Deployment {
  return {
    ...server,
    endpoint: { url, options: {} },
    processes: [...server.processes, ...appServer.processes],
    async check(signal) {
      await server.check(signal);
      await appServer.check(signal);
    },
    async prepare(signal, poolSize) {
      await server.prepare(signal);
      await appServer.recycle(signal, poolSize === undefined ? undefined : Math.ceil(poolSize / processes));
    },
    async facts(signal) {
      const { settings, appServer: own } = await appServer.facts(signal);
      return {
        ...(await server.facts(signal)),
        // Of the sessions that do the timed work.
        settings,
        durability: system.durabilityOf(settings),
        isolation: system.isolationOf(settings),
        appServer: own,
        wireProtocol: rpcWireProtocol,
        writersMax: own.poolSizePerProcess * own.processes,
      };
    },
    counters: async (signal) => ({
      ...(await server.counters(signal)),
      ...(await appServer.counters(signal)),
    }),
    inFlight: async (signal) => await appServer.inFlight(signal),
    async close() {
      await appServer.close();
      await server.close();
    },
  };
}
