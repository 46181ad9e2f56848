import type { Connector } from '@fair-bench/contract';
import mariadb from '@fair-bench/connector-mariadb';
import { system as mariadbSystem } from '@fair-bench/connector-mariadb/system';
import mysql from '@fair-bench/connector-mysql';
import { system as mysqlServer } from '@fair-bench/connector-mysql/system';
import type { SqlSystem } from '@fair-bench/sql';

/** A system of the family, for the tests of what all of them share. */
export interface Member {
  readonly name: string;
  readonly connector: Connector<'driver' | 'drizzle'>;
  readonly system: SqlSystem;
  /** The module of its client by the driver. */
  readonly client: string;
}

const clientOf = (name: string): string => import.meta.resolve(`@fair-bench/connector-${name}/client`);

export const members: readonly [Member, Member] = [
  { name: 'mariadb', connector: mariadb, system: mariadbSystem, client: clientOf('mariadb') },
  { name: 'mysql', connector: mysql, system: mysqlServer, client: clientOf('mysql') },
];
