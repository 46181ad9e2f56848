import { defineConnector, routeOf } from '@fair-bench/contract';
import { drizzleRoute } from '@fair-bench/mysql';
import { sqlConnector } from '@fair-bench/sql/connector';
import { system } from './system.ts';

const driver = routeOf(sqlConnector(system, 'driver'), 'driver');

export default defineConnector({
  system: system.name,
  fairProfile: system.fairProfile,
  routes: { driver, drizzle: drizzleRoute(system) },
});
