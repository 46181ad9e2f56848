import { fileURLToPath } from 'node:url';
import { type Deployment, type RouteDefinition, routeOf } from '@fair-bench/contract';
import { rpcWireProtocol, startAppServer } from '@fair-bench/rpc';
import { bindingFiles, type SqlSystem } from '@fair-bench/sql';
import { sqlProbe, sqlTablesConnector } from '@fair-bench/sql/connector';
import { withBinding } from '@fair-bench/supervisor';

/** A system behind an HTTP server that uses Drizzle ORM. Server and tables are those of the route by the driver. */
export function drizzleRoute(system: SqlSystem): RouteDefinition {
  const database = routeOf(sqlTablesConnector(system, 'drizzle'), 'drizzle');
  const files = bindingFiles(system, '-drizzle.ts');
  return {
    probe: withBinding(files, sqlProbe(system, 'poolSize')),
    async provision(context) {
      const server = await database.provision(context);
      const { processes, poolSize } = context.options;
      const started = await startAppServer(context, {
        file: files,
        modulePath: fileURLToPath(new URL('./main.ts', import.meta.url)),
        processes,
        poolSize,
        backend: { url: server.endpoint.url },
      });
      return behind(system, server, started);
    },
  };
}

/** A database whose sessions are those of an application server. */
function behind(
  system: SqlSystem,
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
