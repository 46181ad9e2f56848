import { messageOf, type OperationOutcome, refused, type Values } from '@fair-bench/contract';
import type { BoundOperations, RpcBackend } from '@fair-bench/rpc/server';
import { faultsByCode } from '@fair-bench/session';
import { createPool, type Pool, type PoolConnection } from 'mysql2';
import type { PoolConnection as BoundConnection } from 'mysql2/promise';
import { z } from 'zod';
import { portOfSystem } from '../connection.ts';
import { system } from '../system.ts';

const connectMsMax = 15_000;
const settingsSchema = z.array(z.tuple([z.string(), z.string()]));
const faultOf = faultsByCode(system.faults);

interface PoolOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Called once for each connection. */
  readonly bind: (connection: BoundConnection) => BoundOperations;
}

/** mysql2's own pool, used as in an application, with a workload's operations on each connection. */
export class ConnectionPool implements RpcBackend {
  #options: PoolOptions;
  #pool: Pool | null = null;
  readonly #bound = new WeakMap<PoolConnection, BoundOperations>();

  private constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Rejects when one of the connections fails. */
  static async open(options: PoolOptions): Promise<ConnectionPool> {
    const pool = new ConnectionPool(options);
    await pool.recycle(options.poolSize);
    return pool;
  }

  /** Runs an operation on its own connection; waits for one while all are in use. Never rejects. */
  async execute(operation: number, values: Values): Promise<OperationOutcome> {
    let connection: PoolConnection;
    try {
      connection = await this.#connection();
    } catch (error) {
      const code = system.faults.codeOf(error);
      const full = code !== null && system.faults.refused[code] === 'overloaded';
      return refused(full ? 'overloaded' : 'connection-refused', messageOf(error));
    }
    try {
      const run = this.#operationsOn(connection)[operation];
      if (run === undefined) return refused('invalid-request', `there is no operation ${operation}`);
      return await run(values);
    } catch (error) {
      // The ORM wraps the driver's error.
      return faultOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
    } finally {
      connection.release();
    }
  }

  async settings(): Promise<Record<string, string>> {
    const connection = await this.#connection();
    try {
      const [rows] = await connection.promise().query({ sql: system.settings, rowsAsArray: true });
      return Object.fromEntries(settingsSchema.parse(rows));
    } finally {
      connection.release();
    }
  }

  /** Also the first opening: every connection exists before an operation needs it. */
  async recycle(poolSize: number): Promise<void> {
    await this.close();
    this.#options = { ...this.#options, poolSize };
    this.#pool = poolOf(this.#options);
    const opening = Array.from({ length: poolSize }, async () => await this.#connection());
    const opened = await Promise.allSettled(opening);
    for (const each of opened) if (each.status === 'fulfilled') each.value.release();
    const failed = opened.find(({ status }) => status === 'rejected');
    if (failed?.status !== 'rejected') return;
    await this.close();
    throw failed.reason;
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    await pool?.promise().end();
  }

  async #connection(): Promise<PoolConnection> {
    const pool = this.#pool;
    if (pool === null) throw new Error('the connections are being replaced');
    return await new Promise((resolve, reject) => {
      pool.getConnection((error, connection) => {
        if (error === null) resolve(connection);
        else reject(error);
      });
    });
  }

  #operationsOn(connection: PoolConnection): BoundOperations {
    const known = this.#bound.get(connection);
    if (known !== undefined) return known;
    const made = this.#options.bind(connection.promise());
    this.#bound.set(connection, made);
    return made;
  }
}

function poolOf({ url, poolSize }: PoolOptions): Pool {
  const { hostname, port, username, password, pathname } = new URL(url);
  const database = decodeURIComponent(pathname.slice(1));
  return createPool({
    host: hostname,
    port: Number(port || portOfSystem),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    ...(database === '' ? {} : { database }),
    connectionLimit: poolSize,
    maxIdle: poolSize,
    connectTimeout: connectMsMax,
    // Integers beyond 2⁵³ come exactly, as decimal texts.
    supportBigNumbers: true,
    bigNumberStrings: true,
  });
}
