import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StorageProbe } from '@fair-bench/runner';
import { Client } from 'pg';
import { z } from 'zod';

/** How often the files are looked at: between two looks a file counts as written once at most. */
const looksPerSecond = 10;
const megabyte = 2 ** 20;

/** What happened beside the operations in one second of a trial. */
export interface Second {
  readonly megabytes: number;
  /** Flushes of the data directory's device, by any process; null where it does not count them. */
  readonly flushes: number | null;
  /** How often each file was found written, most first. */
  readonly written: readonly { readonly file: string; readonly times: number; readonly megabytes: number }[];
  /** Rises of the server's own counters. */
  readonly counters: Readonly<Record<string, number>>;
}

export interface Watched {
  readonly directory: string | null;
  readonly storage: StorageProbe | null;
  /** Of a server that counts its background work. */
  readonly counters: BackgroundCounters | null;
}

interface File {
  readonly bytes: number;
  readonly changedMs: number;
}

/** Looks at a target's data directory and counters from its start until `seconds` is asked for. */
export class Background {
  readonly #watched: Watched;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  readonly #seconds: Second[] = [];

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#ended = this.#watch();
    // It rejects again where the seconds are asked for.
    this.#ended.catch(() => undefined);
  }

  /** By whole seconds since the start. */
  async seconds(): Promise<readonly Second[]> {
    this.#stop.abort();
    await this.#ended;
    return this.#seconds;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    const startMs = performance.now();
    let before = await this.#files();
    let counted = await this.#counted();
    while (!signal.aborted) {
      const times = new Map<string, number>();
      for (let look = 1; look <= looksPerSecond && !signal.aborted; look += 1) {
        const dueMs = startMs + (this.#seconds.length + look / looksPerSecond) * 1000;
        await sleep(Math.max(0, dueMs - performance.now()), undefined, { signal }).catch(() => undefined);
        const now = await this.#files();
        for (const [path, { changedMs }] of now)
          if (changedMs !== before.get(path)?.changedMs) times.set(path, (times.get(path) ?? 0) + 1);
        before = now;
      }
      const counts = await this.#counted();
      this.#seconds.push({
        megabytes: [...before.values()].reduce((sum, { bytes }) => sum + bytes, 0) / megabyte,
        flushes:
          counts.flushes === null || counted.flushes === null ? null : counts.flushes - counted.flushes,
        written: [...times]
          .map(([path, count]) => ({
            file: basename(path),
            times: count,
            megabytes: (before.get(path)?.bytes ?? 0) / megabyte,
          }))
          .toSorted((a, b) => b.times - a.times),
        counters: rises(counted.counters, counts.counters),
      });
      counted = counts;
    }
  }

  async #counted(): Promise<{ flushes: number | null; counters: Readonly<Record<string, number>> }> {
    const { storage, counters } = this.#watched;
    return { flushes: storage?.flushes?.() ?? null, counters: (await counters?.read()) ?? {} };
  }

  async #files(): Promise<ReadonlyMap<string, File>> {
    const { directory } = this.#watched;
    if (directory === null) return new Map();
    const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    // A file may be gone by now.
    const found = files.map(async (path): Promise<[string, File][]> => {
      const stat = await lstat(path).catch(() => null);
      return stat === null ? [] : [[path, { bytes: stat.size, changedMs: stat.mtimeMs }]];
    });
    return new Map((await Promise.all(found)).flat());
  }
}

function rises(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(after).flatMap(([name, count]) => {
      const rise = count - (before[name] ?? 0);
      return rise === 0 ? [] : [[name, rise]];
    }),
  );
}

const checkpointsQuery = `SELECT
  (SELECT num_timed + num_requested FROM pg_stat_checkpointer)::int AS checkpoints,
  (SELECT buffers_written FROM pg_stat_checkpointer)::int AS "checkpoint buffers",
  (SELECT buffers_clean FROM pg_stat_bgwriter)::int AS "background writer's buffers",
  (SELECT coalesce(sum(autovacuum_count), 0) FROM pg_stat_user_tables)::int AS autovacuums,
  (SELECT coalesce(sum(autoanalyze_count), 0) FROM pg_stat_user_tables)::int AS autoanalyzes`;
const countersSchema = z.record(z.string(), z.number());

/** The background work that a PostgreSQL server (17 or later) counts. */
export class BackgroundCounters implements AsyncDisposable {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** Null at an address that is none of PostgreSQL's, and where the server does not count. */
  static async at(url: string): Promise<BackgroundCounters | null> {
    if (!/^postgres(ql)?:/.test(url)) return null;
    const client = new Client({ connectionString: url });
    await client.connect();
    const counters = new BackgroundCounters(client);
    try {
      await counters.read();
      return counters;
    } catch {
      await client.end();
      return null;
    }
  }

  async read(): Promise<Readonly<Record<string, number>>> {
    const { rows } = await this.#client.query(checkpointsQuery);
    return countersSchema.parse(rows[0]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }
}
