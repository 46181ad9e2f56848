import { type OperationOutcome, refused, type Values } from '@fair-bench/contract';
import { Pool, type PoolClient } from 'pg';
import { faultOfConnectError, faultOfError } from './error-outcome.ts';
import { parseSettings, settingsQuery } from './settings.ts';

const connectMsMax = 15_000;

/** A connection's operations, by their numbers. May throw node-postgres' errors. */
type BindOperations = (
  client: PoolClient,
) => (operation: number, values: Values) => OperationOutcome | Promise<OperationOutcome> | undefined;

interface ClientPoolOptions {
  readonly url: string;
  readonly applicationName: string;
  readonly poolSize: number;
  /** Called once for each connection. */
  readonly bind: BindOperations;
}

/** node-postgres' own pool, used as in an application, with a workload's operations on each connection. */
export class ClientPool {
  #options: ClientPoolOptions;
  #pool: Pool | null = null;
  readonly #bound = new WeakMap<PoolClient, ReturnType<BindOperations>>();

  private constructor(options: ClientPoolOptions) {
    this.#options = options;
  }

  /** Rejects when one of the connections fails. */
  static async open(options: ClientPoolOptions): Promise<ClientPool> {
    const pool = new ClientPool(options);
    await pool.recycle(options.poolSize);
    return pool;
  }

  /** Runs an operation on its own connection; waits for one while all are in use. Never rejects. */
  async execute(operation: number, values: Values): Promise<OperationOutcome> {
    let client: PoolClient;
    try {
      client = await this.#connected().connect();
    } catch (error) {
      return faultOfConnectError(error);
    }
    try {
      const outcome = this.#operationsOn(client)(operation, values);
      return (await outcome) ?? refused('invalid-request', `there is no operation ${operation}`);
    } catch (error) {
      // An ORM may wrap the driver's error.
      return faultOfError(error instanceof Error && error.cause instanceof Error ? error.cause : error);
    } finally {
      client.release();
    }
  }

  /** Read in a transaction that begins like an operation's. */
  async settings(): Promise<Record<string, string>> {
    const client = await this.#connected().connect();
    try {
      await client.query('BEGIN');
      const { rows } = await client.query(settingsQuery);
      const settings = { ...parseSettings(rows) };
      await client.query('COMMIT');
      client.release();
      return settings;
    } catch (error) {
      // It may be inside the transaction, so it is not used again.
      client.release(true);
      throw error;
    }
  }

  /** Also the first opening: every connection exists before an operation needs it. */
  async recycle(poolSize: number): Promise<void> {
    await this.close();
    this.#options = { ...this.#options, poolSize };
    this.#pool = await openPool(this.#options);
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

  #operationsOn(client: PoolClient): ReturnType<BindOperations> {
    const known = this.#bound.get(client);
    if (known !== undefined) return known;
    const made = this.#options.bind(client);
    this.#bound.set(client, made);
    return made;
  }
}

async function openPool({ url, applicationName, poolSize }: ClientPoolOptions): Promise<Pool> {
  const pool = new Pool({
    connectionString: url,
    application_name: applicationName,
    max: poolSize,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: connectMsMax,
  });
  // An idle connection that is lost leaves the pool; the next operation opens another.
  pool.on('error', (error) => process.stderr.write(`an idle connection was lost: ${error.message}\n`));
  // One that is lost in use fails its query; without a listener it would end the server too.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const opened = await Promise.allSettled(Array.from({ length: poolSize }, () => pool.connect()));
  for (const result of opened) if (result.status === 'fulfilled') result.value.release();
  const failure = opened.find((result) => result.status === 'rejected');
  if (failure === undefined) return pool;
  await pool.end();
  throw failure.reason;
}
