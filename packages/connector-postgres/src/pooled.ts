import { type BoundOperations, ownPool, type PooledDatabase } from '@fair-bench/rpc/server';
import { type ClientConfig, Pool, type PoolClient } from 'pg';
import type { Prepared } from './calls.ts';
import { faults } from './error-outcome.ts';
import { connectPrepared, type PreparedSession } from './prepared-session.ts';
import { readSettings } from './settings.ts';

const connectMsMax = 15_000;

/** node-postgres' own pool, used as in an application. */
export function stockDatabase(
  url: string,
  applicationName: string,
  bind: (client: PoolClient) => BoundOperations,
): PooledDatabase<PoolClient> {
  return {
    openPool(size) {
      const pool = new Pool({
        connectionString: url,
        application_name: applicationName,
        max: size,
        idleTimeoutMillis: 0,
        connectionTimeoutMillis: connectMsMax,
      });
      // An idle connection that is lost leaves the pool; the next operation opens another.
      pool.on('error', (error) => process.stderr.write(`an idle connection was lost: ${error.message}\n`));
      // One that is lost in use fails its query; without a listener it would end the server too.
      pool.on('connect', (client) => client.on('error', () => undefined));
      return {
        acquire: async () => await pool.connect(),
        release: (client, isBroken) => client.release(isBroken),
        close: async () => await pool.end(),
      };
    },
    bind,
    /** In a transaction that begins like an operation's. */
    async settings(client) {
      await client.query('BEGIN');
      const settings = await readSettings(client);
      await client.query('COMMIT');
      return settings;
    },
    faults,
  };
}

/** Sessions with the prepared operations, as of the route by the driver. */
export function preparedDatabase(config: ClientConfig, prepared: Prepared): PooledDatabase<PreparedSession> {
  return {
    openPool: async (size) => {
      const signal = AbortSignal.timeout(connectMsMax);
      return await ownPool(
        size,
        // The application server sends an operation again.
        async () => await connectPrepared(config, prepared, signal, { retriesMax: 0 }),
        async (session) => await session.close(),
      );
    },
    bind: (session) => (operation, values) => session.execute(operation, values),
    settings: async (session) => await (await session.connection()).settings(),
    faults,
  };
}
