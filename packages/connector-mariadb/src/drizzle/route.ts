import { fileURLToPath } from 'node:url';
import type { Deployment, RouteDefinition } from '@fair-bench/contract';
import { rpcWireProtocol, startAppServer } from '@fair-bench/rpc';
import { withBinding } from '@fair-bench/supervisor';
import { system } from '../system.ts';

const bindingFile = 'mariadb-drizzle.ts';

/** MariaDB behind an HTTP server that uses Drizzle ORM. Server and tables are those of the route by the driver. */
export function drizzleRoute(driver: RouteDefinition): RouteDefinition {
  return {
    probe: withBinding(bindingFile, async (options) => await driver.probe(options)),
    async provision(context) {
      const server = await driver.provision(context);
      const { processes, poolSize } = context.options;
      const started = await startAppServer(context, {
        file: bindingFile,
        modulePath: fileURLToPath(new URL('main.ts', import.meta.url)),
        processes,
        poolSize,
        backend: { url: server.endpoint.url },
      });
      return behind(server, started);
    },
  };
}

/** A database whose sessions are those of an application server. */
function behind(
  server: Deployment,
  { endpoint, appServer }: Awaited<ReturnType<typeof startAppServer>>,
): Deployment {
  return {
    ...server,
    endpoint,
    processes: [...server.processes, ...appServer.processes],
    async check(signal) {
      await server.check(signal);
      await appServer.check(signal);
    },
    async prepare(signal, poolSize) {
      await server.prepare(signal);
      await appServer.recycle(signal, poolSize);
    },
    rest: async (signal) => await appServer.rest(signal),
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
