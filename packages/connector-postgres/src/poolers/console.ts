import type { Client } from 'pg';
import { z } from 'zod';
import { withClient } from '../connection.ts';

const versionSchema = z.tuple([z.object({ version: z.string() })]);
/** PgBouncer calls the name of a setting `key`, PgDog `name`. */
const configSchema = z.array(
  z.union([
    z.object({ key: z.string(), value: z.string().nullable() }),
    z
      .object({ name: z.string(), value: z.string().nullable() })
      .transform(({ name, value }) => ({ key: name, value })),
  ]),
);
const statsSchema = z.array(z.object({ database: z.string(), total_xact_count: z.coerce.number() }));
const serversSchema = z.array(z.object({ database: z.string(), remote_pid: z.coerce.number() }));

/** What a pooler says of itself. */
interface PoolerSelf {
  /** The first word of its version, in lower case: `pgbouncer`. */
  readonly answers: string;
  readonly version: string;
  readonly config: Readonly<Record<string, string>>;
}

/** What a pooler's connections to the database had done when they were ended. */
export interface Ended {
  /** Process ids, at the server. */
  readonly backends: readonly number[];
  /** That clients ended. */
  readonly transactions: number;
  /** The same count just after the end: PgDog begins anew. */
  readonly transactionsAfter: number;
}

/** The administration console of a pooler: a database that answers SHOW commands over PostgreSQL's own protocol. */
export class PoolerConsole {
  readonly #url: string;
  readonly #database: string;

  /** @param database the one whose clients and connections are meant. */
  constructor(url: string, database: string) {
    this.#url = url;
    this.#database = database;
  }

  async self(signal: AbortSignal): Promise<PoolerSelf> {
    return await this.#with(signal, async (client) => {
      const [{ version: text }] = versionSchema.parse((await client.query('SHOW VERSION')).rows);
      const config = configSchema.parse((await client.query('SHOW CONFIG')).rows);
      const [, name = '', version = ''] = /^(\S+) v?(\d\S*)/.exec(text) ?? [];
      if (name === '') throw new Error(`it calls itself ${JSON.stringify(text)}, which names no version`);
      return {
        answers: name.toLowerCase(),
        version,
        config: Object.fromEntries(config.map(({ key, value }) => [key, value ?? ''])),
      };
    });
  }

  /** Has the connections to the database ended as soon as no client uses them. */
  async endConnections(signal: AbortSignal): Promise<Ended> {
    return await this.#with(signal, async (client) => {
      const transactions = await this.#transactions(client);
      const servers = serversSchema.parse((await client.query('SHOW SERVERS')).rows);
      await client.query('RECONNECT');
      return {
        backends: servers.flatMap((row) => (row.database === this.#database ? [row.remote_pid] : [])),
        transactions,
        transactionsAfter: await this.#transactions(client),
      };
    });
  }

  async #transactions(client: Client): Promise<number> {
    const rows = statsSchema.parse((await client.query('SHOW STATS')).rows);
    return rows.reduce((sum, row) => sum + (row.database === this.#database ? row.total_xact_count : 0), 0);
  }

  async #with<Result>(signal: AbortSignal, act: (client: Client) => Promise<Result>): Promise<Result> {
    return await withClient({ connectionString: this.#url }, signal, act);
  }
}
