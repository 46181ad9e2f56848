import { glob, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database.ts';
import { logSize } from './metrics.ts';

/** The location of a database's log; `unknown` if the server does not report it. */
export type LogStorage = 'disk' | 'memory' | 'unknown';

const pollMs = 500;
/** A server measures its logs every 15 seconds. */
const measuredTimeoutMs = 20_000;

/** The folder of a log that a server on this machine has written; null without one: a server in memory writes none. */
export async function logFolderOf(dataDirectory: string): Promise<string | null> {
  for await (const file of glob('replicas/*/clog/**/*.stdb.log', { cwd: dataDirectory })) {
    const path = join(dataDirectory, file);
    if ((await stat(path)).size > 0) return dirname(path);
  }
  return null;
}

/** From the server's metrics, once it has measured the log. */
export async function measuredLogStorage(database: Database, signal: AbortSignal): Promise<LogStorage> {
  const size = await logSize(database, signal);
  if (size === null) return 'unknown';
  return size > 0 ? 'disk' : 'memory';
}

/** Waits until the server has measured the log of a new database, or would have. */
export async function logMeasured(database: Database, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + measuredTimeoutMs;
  while (Date.now() < deadline && (await logSize(database, signal)) === 0) {
    await sleep(pollMs, undefined, { signal });
  }
}
