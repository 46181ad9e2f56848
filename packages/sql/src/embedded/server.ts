import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import {
  type Fault,
  inDoubt,
  messageOf,
  type OperationOutcome,
  refused,
  requestedDurabilitySchema,
  type Values,
  type WorkloadShape,
} from '@fair-bench/contract';
import {
  type BoundOperations,
  type EngineTables,
  importBinding,
  type RpcBackend,
  type RpcServerImplementation,
} from '@fair-bench/rpc/server';
import { faultsByCode } from '@fair-bench/session';
import type { SqlConnection } from '../dialect.ts';
import { readSettings, textOf } from '../system.ts';
import { createTables, sqlTables } from '../tables.ts';
import {
  type EmbeddedDatabase,
  type EmbeddedServerSettings,
  type EmbeddedSql,
  versionSetting,
} from './system.ts';

const settingsSchema = z.strictObject({
  directory: z.string().min(1),
  durability: requestedDurabilitySchema,
}) satisfies z.ZodType<EmbeddedServerSettings>;
/** Says that the tables in the directory are complete. */
const markFile = 'made-by-fair-bench';

/** The RPC server of an embedded engine, which runs inside it: pass it to `runRpcServer`. */
export function embeddedSqlServer(system: EmbeddedSql): RpcServerImplementation<EmbeddedServerSettings> {
  return {
    name: system.name,
    settingsSchema,
    hasThreadPerConnection: true,
    async openBackend({ directory, durability }, { binding, workload, poolSize }) {
      const bind = await importBinding(binding, workload);
      const database = await system.open(directory, durability);
      const backend = new EmbeddedBackend({ system, database, workload, bind });
      await backend.createTables(join(directory, markFile));
      await backend.open(poolSize);
      return backend;
    },
  };
}

interface BackendParts {
  readonly system: EmbeddedSql;
  readonly database: EmbeddedDatabase;
  readonly workload: WorkloadShape;
  readonly bind: (connection: SqlConnection) => BoundOperations;
}

interface Pooled {
  readonly connection: SqlConnection;
  readonly operations: BoundOperations;
}

class EmbeddedBackend implements RpcBackend {
  readonly tables: EngineTables;
  readonly #parts: BackendParts;
  readonly #faultOf: (error: unknown) => Fault;
  #pool: Pooled[] = [];
  readonly #idle: Pooled[] = [];
  readonly #waiting: ((pooled: Pooled) => void)[] = [];

  constructor(parts: BackendParts) {
    const { system, workload } = parts;
    this.#parts = parts;
    const byCode = faultsByCode(system.faults);
    // There is no connection that could be lost.
    this.#faultOf = (error) =>
      system.faults.codeOf(error) === null ? inDoubt('internal', messageOf(error)) : byCode(error);
    this.tables = sqlTables(system.name, workload.tables, system.dialect, async () => await this.#lease());
  }

  /** Creates the tables, unless the directory has them already: after a kill they stay. */
  async createTables(mark: string): Promise<void> {
    const isMade = await access(mark).then(
      () => true,
      () => false,
    );
    if (isMade) return;
    const { database, system, workload } = this.#parts;
    const connection = await database.connect();
    await createTables(connection, workload.tables, system.dialect);
    await connection.end();
    await writeFile(mark, '');
  }

  async open(poolSize: number): Promise<void> {
    const { database, bind, system } = this.#parts;
    const size = Math.max(1, Math.min(poolSize, system.connectionsMax ?? poolSize));
    for (let opened = 0; opened < size; opened += 1) {
      const connection = await database.connect();
      const pooled = { connection, operations: bind(connection) };
      this.#pool.push(pooled);
      this.#idle.push(pooled);
    }
  }

  async execute(operation: number, values: Values): Promise<OperationOutcome> {
    const pooled = this.#idle.pop() ?? (await this.#next());
    try {
      const run = pooled.operations[operation];
      return run === undefined
        ? refused('invalid-request', `there is no operation ${operation}`)
        : await run(values);
    } catch (error) {
      return this.#faultOf(error);
    } finally {
      this.#release(pooled);
    }
  }

  async settings(): Promise<Record<string, string>> {
    const { system } = this.#parts;
    const pooled = this.#idle.pop() ?? (await this.#next());
    try {
      const settings = await readSettings(pooled.connection, system.settings);
      return { ...settings, [versionSetting]: await textOf(pooled.connection, system.version) };
    } finally {
      this.#release(pooled);
    }
  }

  async recycle(poolSize: number): Promise<void> {
    const { settle } = this.#parts.system;
    await this.#endPool();
    await this.open(poolSize);
    const [first] = this.#pool;
    if (settle !== undefined) await first?.connection.query(settle, []);
  }

  async close(): Promise<void> {
    await this.#endPool();
    await this.#parts.database.close();
  }

  async #endPool(): Promise<void> {
    this.#idle.length = 0;
    for (const { connection } of this.#pool.splice(0)) await connection.end();
  }

  /** A connection of the control plane: its own or, where the database has only one, that one until it is returned. */
  async #lease(): Promise<SqlConnection & AsyncDisposable> {
    if (this.#parts.system.connectionsMax === undefined) {
      const connection = await this.#parts.database.connect();
      const end = async (): Promise<void> => await connection.end();
      return { query: async (...words) => await connection.query(...words), end, [Symbol.asyncDispose]: end };
    }
    const pooled = this.#idle.pop() ?? (await this.#next());
    const end = async (): Promise<void> => {
      // A scan and a load that failed leave an open transaction. Without one, this rollback fails, which is right.
      await pooled.connection.query('ROLLBACK', []).catch(() => undefined);
      this.#release(pooled);
    };
    const { connection } = pooled;
    return { query: async (...words) => await connection.query(...words), end, [Symbol.asyncDispose]: end };
  }

  async #next(): Promise<Pooled> {
    return await new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #release(pooled: Pooled): void {
    // One that was returned after the pool was closed is gone.
    if (!this.#pool.includes(pooled)) return;
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(pooled);
    else next(pooled);
  }
}
