import { sql } from 'drizzle-orm';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { Pool } from 'pg';
import { z } from 'zod';
import type { Outcome } from '@fair-bench/contract';
import { faultOfConnectError, faultOfError, parseSettings, settingsQuery } from '@fair-bench/postgres';
import type { RpcBackend, RpcServerImplementation } from '@fair-bench/rpc/server';
import { transferIn } from './transfer.ts';

const settingsSchema = z.strictObject({ url: z.string().min(1) });
export type PostgresDrizzleSettings = z.infer<typeof settingsSchema>;

const applicationName = 'fair-bench postgres-drizzle';
const connectMsMax = 15_000;

/** PostgreSQL through Drizzle on a pool of node-postgres, as an application would use it. */
export const postgresDrizzleServer: RpcServerImplementation<PostgresDrizzleSettings> = {
  name: 'postgres-drizzle',
  settingsSchema,
  async openBackend({ url }, { poolSize }) {
    const backend = new DrizzleBackend(url, poolSize);
    await backend.recycle();
    return backend;
  },
};

class DrizzleBackend implements RpcBackend {
  readonly #url: string;
  readonly #poolSize: number;
  #pool: Pool | null = null;
  #db: NodePgDatabase | null = null;

  constructor(url: string, poolSize: number) {
    this.#url = url;
    this.#poolSize = poolSize;
  }

  async transfer(source: number, target: number, amount: bigint): Promise<Outcome> {
    let begun = false;
    try {
      return await this.#database().transaction((transaction) => {
        begun = true;
        return transferIn(transaction, source, target, amount);
      });
    } catch (error) {
      // Drizzle wraps what the driver threw.
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      return begun ? faultOfError(cause) : faultOfConnectError(cause);
    }
  }

  /** Read within a transaction that begins as a transfer's does. */
  async settings(): Promise<Record<string, string>> {
    const { rows } = await this.#database().transaction((transaction) =>
      transaction.execute(sql.raw(settingsQuery)),
    );
    return { ...parseSettings(rows) };
  }

  /** Also the first opening: every connection is there before a transfer needs it. */
  async recycle(): Promise<void> {
    await this.close();
    const pool = new Pool({
      connectionString: this.#url,
      application_name: applicationName,
      max: this.#poolSize,
      idleTimeoutMillis: 0,
    });
    // An idle connection that is lost leaves the pool; the next transfer opens another.
    pool.on('error', (error) => process.stderr.write(`an idle connection was lost: ${error.message}\n`));
    this.#pool = pool;
    this.#db = drizzle({ client: pool });
    await openAll(pool, this.#poolSize);
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    this.#db = null;
    await pool?.end();
  }

  #database(): NodePgDatabase {
    if (this.#db === null)
      throw new Error('there is no connection pool while connections are being replaced');
    return this.#db;
  }
}

async function openAll(pool: Pool, count: number): Promise<void> {
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new Error(`no connection in ${connectMsMax} ms`)), connectMsMax).unref();
  });
  const clients = await Promise.race([
    Promise.all(Array.from({ length: count }, () => pool.connect())),
    late,
  ]);
  for (const client of clients) client.release();
}
