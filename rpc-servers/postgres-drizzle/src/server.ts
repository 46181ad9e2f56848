import { Pool, type PoolClient } from 'pg';
import { z } from 'zod';
import { type OperationOutcome, refused, type Values } from '@fair-bench/contract';
import {
  faultOfConnectError,
  faultOfError,
  parseSettings,
  settingsQuery,
} from '@fair-bench/connector-postgres/sessions';
import {
  type BoundOperations,
  importBinding,
  type RpcBackend,
  type RpcServerImplementation,
} from '@fair-bench/rpc/server';

const settingsSchema = z.strictObject({ url: z.string().min(1) });

const applicationName = 'fair-bench postgres-drizzle';
const connectMsMax = 15_000;

/** PostgreSQL through the binding's ORM on a pool of node-postgres, as an application would use it. */
export const postgresDrizzleServer: RpcServerImplementation<z.infer<typeof settingsSchema>> = {
  name: 'postgres-drizzle',
  settingsSchema,
  async openBackend({ url }, { poolSize, binding, workload }) {
    const bind = await importBinding(binding, workload);
    const backend = new OrmBackend({ url, poolSize, bind });
    await backend.recycle();
    return backend;
  },
};

interface OrmOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly bind: (client: PoolClient) => BoundOperations;
}

class OrmBackend implements RpcBackend {
  readonly #options: OrmOptions;
  #pool: Pool | null = null;
  readonly #bound = new WeakMap<PoolClient, BoundOperations>();

  constructor(options: OrmOptions) {
    this.#options = options;
  }

  async execute(operation: number, values: Values): Promise<OperationOutcome> {
    let client: PoolClient;
    try {
      client = await this.#connected().connect();
    } catch (error) {
      return faultOfConnectError(error);
    }
    try {
      const run = this.#operationsOn(client)[operation];
      return (await run?.(values)) ?? refused('invalid-request', `there is no operation ${operation}`);
    } catch (error) {
      // An ORM may wrap what the driver threw.
      return faultOfError(error instanceof Error && error.cause instanceof Error ? error.cause : error);
    } finally {
      client.release();
    }
  }

  /** Read within a transaction that begins as an operation's does. */
  async settings(): Promise<Record<string, string>> {
    const client = await this.#connected().connect();
    try {
      await client.query('BEGIN');
      const { rows } = await client.query(settingsQuery);
      await client.query('COMMIT');
      return { ...parseSettings(rows) };
    } finally {
      client.release();
    }
  }

  /** Also the first opening: every connection is there before an operation needs it. */
  async recycle(): Promise<void> {
    await this.close();
    this.#pool = await openPool(this.#options.url, this.#options.poolSize);
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

  #operationsOn(client: PoolClient): BoundOperations {
    const known = this.#bound.get(client);
    if (known !== undefined) return known;
    const made = this.#options.bind(client);
    this.#bound.set(client, made);
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
  // An idle connection that is lost leaves the pool; the next operation opens another.
  pool.on('error', (error) => process.stderr.write(`an idle connection was lost: ${error.message}\n`));
  const opened = await Promise.allSettled(Array.from({ length: size }, () => pool.connect()));
  for (const result of opened) if (result.status === 'fulfilled') result.value.release();
  const failure = opened.find((result) => result.status === 'rejected');
  if (failure === undefined) return pool;
  await pool.end();
  throw failure.reason;
}
