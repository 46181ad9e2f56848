import { Client } from 'pg';
import { z } from 'zod';

const periodMs = 25;
/** Sessions of the load client, by what they wait for at this moment; those that wait for nothing have a processor or want one. */
const query = `SELECT coalesce(wait_event_type || ':' || wait_event, 'processor') AS event, count(*)::int AS sessions
  FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND application_name LIKE 'fair-bench postgres%'
  GROUP BY 1`;
const rowsSchema = z.array(z.object({ event: z.string(), sessions: z.number() }));

export const waitKinds = ['processor', 'log flush', 'row lock', 'client', 'other'] as const;
export type WaitKind = (typeof waitKinds)[number];
/** The share of the sessions' time that each kind had; 0 to 1. */
export type WaitShares = Readonly<Record<WaitKind, number>>;

/** Asks a server forty times a second what its sessions wait for: from `start` to `stop`. */
export class SessionWaits implements AsyncDisposable {
  readonly #client: Client;
  #counts: Record<WaitKind, number> = none();
  #timer: NodeJS.Timeout | null = null;
  #reading: Promise<void> = Promise.resolve();
  #failure: unknown = null;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<SessionWaits> {
    const client = new Client({ connectionString: url, application_name: 'fair-bench waits' });
    await client.connect();
    return new SessionWaits(client);
  }

  start(): void {
    this.#counts = none();
    this.#timer = setInterval(() => {
      this.#reading = this.#reading
        .then(async () => await this.#read())
        .catch((error: unknown) => {
          this.#failure = error;
        });
    }, periodMs);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Between `start` and `stop`. Rejects when the server does not answer, or has no session to show. */
  async shares(): Promise<WaitShares> {
    await this.#reading;
    if (this.#failure !== null)
      throw new Error('PostgreSQL did not show its waits', { cause: this.#failure });
    const total = waitKinds.reduce((sum, kind) => sum + this.#counts[kind], 0);
    if (total === 0) throw new Error('PostgreSQL showed no session of the load client');
    const counts = this.#counts;
    return {
      processor: counts.processor / total,
      'log flush': counts['log flush'] / total,
      'row lock': counts['row lock'] / total,
      client: counts.client / total,
      other: counts.other / total,
    };
  }

  async #read(): Promise<void> {
    const { rows } = await this.#client.query(query);
    for (const { event, sessions } of rowsSchema.parse(rows)) this.#counts[kindOf(event)] += sessions;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.#reading;
    await this.#client.end();
  }
}

function none(): Record<WaitKind, number> {
  return { processor: 0, 'log flush': 0, 'row lock': 0, client: 0, other: 0 };
}

/** By PostgreSQL's names of wait events, which differ in case between its versions. */
function kindOf(event: string): WaitKind {
  const name = event.toLowerCase();
  if (name === 'processor') return 'processor';
  if (name.startsWith('lock:')) return 'row lock';
  if (name.startsWith('client:')) return 'client';
  return /wal/.test(name) ? 'log flush' : 'other';
}
