import { type Connector, defineConnector, routeOf } from '@fair-bench/contract';
import type { SqlSystem } from '@fair-bench/sql';
import { sqlConnector } from '@fair-bench/sql/connector';
import { drizzleRoute } from './drizzle/route.ts';

/** The routes that each system of the family has. */
export function mysqlConnector(system: SqlSystem): Connector<'driver' | 'drizzle'> {
  return defineConnector({
    system: system.name,
    fairProfile: system.fairProfile,
    routes: { driver: routeOf(sqlConnector(system, 'driver'), 'driver'), drizzle: drizzleRoute(system) },
  });
}
