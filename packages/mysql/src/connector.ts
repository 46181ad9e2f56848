import { type Connector, defineConnector, type RouteDefinition, routeOf } from '@fair-bench/contract';
import { openSql, type SqlSystem, textOf } from '@fair-bench/sql';
import { sqlConnector } from '@fair-bench/sql/connector';
import { applicationRoute } from './application.ts';
import { drizzleRoute } from './drizzle/route.ts';

/** The routes that each system of the family has. */
export function mysqlConnector(system: SqlSystem): Connector<'driver' | 'drizzle' | 'app'> {
  return defineConnector({
    system: system.name,
    fairProfile: system.fairProfile,
    identify: async (url, signal) => {
      await using connection = await openSql(system, url, signal);
      // Whatever sends reads elsewhere keeps a transaction where it writes.
      await connection.query('START TRANSACTION', []);
      return await textOf(connection, "SELECT CONCAT_WS(' ', @@hostname, @@port, @@datadir)");
    },
    routes: {
      driver: ownTls(routeOf(sqlConnector(system, 'driver'), 'driver')),
      drizzle: ownTls(drizzleRoute(system)),
      app: ownTls(applicationRoute(system)),
    },
  });
}

/** Whether sessions are encrypted is a setting of servers that we start; a URL says it itself. */
function ownTls(route: RouteDefinition): RouteDefinition {
  return {
    ...route,
    probe: async (options) =>
      options.url !== undefined && options.extra['tls'] === 'on'
        ? {
            available: false,
            reason: 'tls=on is a setting of servers that are started here',
            remedy: 'say it in the URL: ?ssl-mode=REQUIRED',
          }
        : await route.probe(options),
  };
}
