import { ourSchema, type RouteDefinition, routeOf, tlsSetting } from '@fair-bench/contract';
import { rpcWireProtocol } from '@fair-bench/rpc';
import { startApplication } from '@fair-bench/rpc/application';
import type { SqlSystem } from '@fair-bench/sql';
import { sqlProbe, sqlTablesConnector } from '@fair-bench/sql/connector';

/**
 * A system behind the user's own application, whose default database is our schema. Server and tables are those of the route by the
 * driver; how many commits the application makes of an operation is its own affair.
 */
export function applicationRoute(system: SqlSystem): RouteDefinition {
  const database = routeOf(sqlTablesConnector(system, 'app'), 'app');
  return {
    probe: sqlProbe(system, 'poolSize'),
    async provision(context) {
      const server = await database.provision(context);
      const url = new URL(server.endpoint.url);
      url.pathname = `/${ourSchema()}`;
      const application = await startApplication(context, url.href);
      return {
        ...server,
        endpoint: application.endpoint,
        processes: [...server.processes, ...application.processes],
        async check(signal) {
          await server.check(signal);
          await application.check(signal);
        },
        async facts(signal) {
          const facts = await server.facts(signal);
          // What is the server's: the application's sessions have their own encryption.
          const { [tlsSetting]: _ours, ...settings } = facts.settings;
          const { sessionsMax, depthMax } = context.options;
          // Each request has a connection of its own.
          return { ...facts, settings, wireProtocol: rpcWireProtocol, writersMax: sessionsMax * depthMax };
        },
        async counters(signal) {
          const { flushes } = await server.counters(signal);
          return flushes === undefined ? {} : { flushes };
        },
        async close() {
          await application.close();
          await server.close();
        },
      };
    },
  };
}
