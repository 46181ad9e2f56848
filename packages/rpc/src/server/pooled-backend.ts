import type { OperationOutcome, Values } from '@fair-bench/contract';
import { faultOfConnecting, type FaultRules, faultsByCode } from '@fair-bench/session';
import type { RpcBackend } from './implementation.ts';
import type { BoundOperations } from './operations.ts';

/** A pool of connections: a driver's own, or `ownPool`. */
interface ConnectionPool<Connection> {
  /** A connection for one use; waits, in order, while all are in use. */
  acquire(): Connection | Promise<Connection>;
  /** Takes it back; a broken one is not used again. */
  release(connection: Connection, isBroken: boolean): void;
  close(): Promise<void>;
}

/** A database behind a pool: what differs from others, and nothing else. */
export interface PooledDatabase<Connection> {
  /** A pool of at most `size` connections. Rejects when one cannot be opened now; another may be opened later. */
  openPool(size: number): ConnectionPool<Connection> | Promise<ConnectionPool<Connection>>;
  /** The most connections that it can have; absent where that is not limited. */
  readonly connectionsMax?: number | undefined;
  /** A workload's operations on one connection; called once for each. */
  bind(connection: Connection): BoundOperations;
  /** The settings in force in a connection, read like an operation's. One that fails is not used again. */
  settings(connection: Connection): Promise<Readonly<Record<string, string>>>;
  readonly faults: FaultRules;
}

/** A workload's operations, each on a connection of its own out of a pool. */
export class PooledBackend<Connection extends object> implements RpcBackend {
  readonly #database: PooledDatabase<Connection>;
  readonly #bound = new WeakMap<Connection, BoundOperations>();
  readonly #faultOf: ReturnType<typeof faultsByCode>;
  #size: number;
  #pool: ConnectionPool<Connection> | null = null;
  /** Whether the pool opens at its next use. */
  #isResting = true;
  #reopening: Promise<void> | null = null;

  private constructor(database: PooledDatabase<Connection>, poolSize: number) {
    this.#database = database;
    this.#size = poolSize;
    this.#faultOf = faultsByCode(database.faults);
  }

  /** Rejects when a connection, or the operations on it, fail; the pool opens when it is recycled or used. */
  static async open<Connection extends object>(
    database: PooledDatabase<Connection>,
    poolSize: number,
  ): Promise<PooledBackend<Connection>> {
    const backend = new PooledBackend(database, poolSize);
    await backend.#onOne(async (connection) => await Promise.resolve(backend.#operationsOn(connection)));
    return backend;
  }

  async execute(operation: number, values: Values): Promise<OperationOutcome> {
    let pool: ConnectionPool<Connection>;
    let connection: Connection;
    try {
      pool = this.#pool ?? (await this.#opened());
      connection = await pool.acquire();
    } catch (error) {
      return faultOfConnecting(this.#database.faults, error);
    }
    try {
      return await this.#operationsOn(connection)(operation, values);
    } catch (error) {
      // An ORM wraps the driver's error.
      return this.#faultOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
    } finally {
      pool.release(connection, false);
    }
  }

  async settings(): Promise<Record<string, string>> {
    const read = async (connection: Connection): Promise<Record<string, string>> => ({
      ...(await this.#database.settings(connection)),
    });
    return this.#isResting ? await this.#onOne(read) : await this.use(read);
  }

  /** Lends a connection; it is not used again if `act` rejects. */
  async use<Result>(act: (connection: Connection) => Promise<Result>): Promise<Result> {
    const { connection, release } = await this.lend();
    let isBroken = true;
    try {
      const result = await act(connection);
      isBroken = false;
      return result;
    } finally {
      release(isBroken);
    }
  }

  /** Lends a connection until it is released. */
  async lend(): Promise<{ readonly connection: Connection; readonly release: (isBroken: boolean) => void }> {
    const pool = this.#pool ?? (await this.#opened());
    const connection = await pool.acquire();
    return { connection, release: (isBroken) => pool.release(connection, isBroken) };
  }

  /**
   * Also the first opening: every connection exists, with its operations, before an operation needs it. With a size of 0 none
   * exists until it is used or recycled again.
   */
  async recycle(poolSize: number): Promise<void> {
    await this.close();
    this.#isResting = poolSize === 0;
    if (this.#isResting) return;
    this.#size = poolSize;
    const size = Math.max(1, Math.min(poolSize, this.#database.connectionsMax ?? poolSize));
    const pool = await this.#database.openPool(size);
    this.#pool = pool;
    const opened = await allOrNone(
      size,
      async () => await pool.acquire(),
      (connection) => pool.release(connection, false),
    ).catch(async (error: unknown) => {
      await this.close();
      throw error;
    });
    try {
      for (const connection of opened) this.#operationsOn(connection);
    } finally {
      for (const connection of opened) pool.release(connection, false);
    }
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    this.#isResting = false;
    await pool?.close();
  }

  async #opened(): Promise<ConnectionPool<Connection>> {
    if (this.#isResting) this.#reopening = this.#reopen();
    await this.#reopening;
    if (this.#pool === null) throw new Error('the connections are being replaced');
    return this.#pool;
  }

  /** Where it fails, the next use tries again. */
  async #reopen(): Promise<void> {
    try {
      await this.recycle(this.#size);
    } catch (error) {
      this.#isResting = true;
      throw error;
    }
  }

  /** Acts on a connection that nobody else has, beside the pool. */
  async #onOne<Result>(act: (connection: Connection) => Promise<Result>): Promise<Result> {
    const pool = await this.#database.openPool(1);
    try {
      const connection = await pool.acquire();
      try {
        return await act(connection);
      } finally {
        pool.release(connection, false);
      }
    } finally {
      await pool.close();
    }
  }

  #operationsOn(connection: Connection): BoundOperations {
    const known = this.#bound.get(connection);
    if (known !== undefined) return known;
    const made = this.#database.bind(connection);
    this.#bound.set(connection, made);
    return made;
  }
}

/** A pool of ours, for connections whose driver brings none; all are opened at once. */
export async function ownPool<Connection>(
  size: number,
  open: () => Promise<Connection>,
  end: (connection: Connection) => Promise<void> | void,
): Promise<ConnectionPool<Connection>> {
  const connections = await allOrNone(size, open, end);
  const idle = [...connections];
  const waiting: ((connection: Connection) => void)[] = [];
  return {
    acquire: () => idle.pop() ?? new Promise((resolve) => waiting.push(resolve)),
    release(connection) {
      const next = waiting.shift();
      if (next === undefined) idle.push(connection);
      else next(connection);
    },
    async close() {
      idle.length = 0;
      await Promise.all(connections.map(async (connection) => await end(connection)));
    },
  };
}

/** Opens so many at the same time; if one fails, those that opened are passed to `undo`. */
async function allOrNone<Connection>(
  size: number,
  open: () => Promise<Connection>,
  undo: (connection: Connection) => Promise<void> | void,
): Promise<readonly Connection[]> {
  const opened = await Promise.allSettled(Array.from({ length: size }, async () => await open()));
  const connections = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = opened.find(({ status }) => status === 'rejected');
  if (failed?.status !== 'rejected') return connections;
  for (const connection of connections) await undo(connection);
  throw failed.reason;
}
