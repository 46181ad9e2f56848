import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { Pool, type PoolClient } from 'pg';
import { z } from 'zod';
import type { Outcome } from '@fair-bench/contract';
import {
  faultOfConnectError,
  faultOfError,
  parseSettings,
  settingsQuery,
} from '@fair-bench/connector-postgres/sessions';
import type { RpcBackend, RpcServerImplementation } from '@fair-bench/rpc/server';
import { transferOn, type TransferOnConnection } from './transfer.ts';

const settingsSchema = z.strictObject({ url: z.string().min(1) });

const applicationName = 'fair-bench postgres-drizzle';
const connectMsMax = 15_000;

/** PostgreSQL through Drizzle on a pool of node-postgres, as an application would use it. */
export const postgresDrizzleServer: RpcServerImplementation<z.infer<typeof settingsSchema>> = {
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
  readonly #transfers = new WeakMap<PoolClient, TransferOnConnection>();

  constructor(url: string, poolSize: number) {
    this.#url = url;
    this.#poolSize = poolSize;
  }

  async transfer(source: number, target: number, amount: bigint): Promise<Outcome> {
    let client: PoolClient;
    try {
      client = await this.#connected().connect();
    } catch (error) {
      return faultOfConnectError(error);
    }
    try {
      return await this.#transferOn(client)(source, target, amount);
    } catch (error) {
      // Drizzle wraps what the driver threw.
      return faultOfError(error instanceof Error && error.cause instanceof Error ? error.cause : error);
    } finally {
      client.release();
    }
  }

  /** Read within a transaction that begins as a transfer's does. */
  async settings(): Promise<Record<string, string>> {
    const { rows } = await drizzle({ client: this.#connected() }).transaction((transaction) =>
      transaction.execute(sql.raw(settingsQuery)),
    );
    return { ...parseSettings(rows) };
  }

  /** Also the first opening: every connection is there before a transfer needs it. */
  async recycle(): Promise<void> {
    await this.close();
    this.#pool = await openPool(this.#url, this.#poolSize);
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    await pool?.end();
  }

  #connected(): Pool {
    if (this.#pool === null) throw new Error('the connections are being replaced');
    return this.#pool;
  }

  #transferOn(client: PoolClient): TransferOnConnection {
    const known = this.#transfers.get(client);
    if (known !== undefined) return known;
    const made = transferOn(client);
    this.#transfers.set(client, made);
    return made;
  }
}

async function openPool(url: string, size: number): Promise<Pool> {
  const pool = new Pool({
    connectionString: url,
    application_name: applicationName,
    max: size,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: connectMsMax,
  });
  // An idle connection that is lost leaves the pool; the next transfer opens another.
  pool.on('error', (error) => process.stderr.write(`an idle connection was lost: ${error.message}\n`));
  const opened = await Promise.allSettled(Array.from({ length: size }, () => pool.connect()));
  for (const result of opened) if (result.status === 'fulfilled') result.value.release();
  const failure = opened.find((result) => result.status === 'rejected');
  if (failure === undefined) return pool;
  await pool.end();
  throw failure.reason;
}
