import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database.ts';
import { logSize } from './metrics.ts';

/** Where a database's log is written; `unknown` where the server does not tell. */
export type LogStorage = 'disk' | 'memory' | 'unknown';

const pollMs = 500;
/** A server measures its logs every 15 seconds. */
const measuredTimeoutMs = 20_000;

/** As the files show, for a server on this machine: one in memory writes no log. */
export async function logStorageOf(dataDirectory: string): Promise<LogStorage> {
  const files = await readdir(dataDirectory, { recursive: true });
  for (const file of files.filter((path) => /^replicas\/.+\/clog\/.+\.stdb\.log$/.test(path))) {
    if ((await stat(join(dataDirectory, file))).size > 0) return 'disk';
  }
  return 'memory';
}

/** As the server's metrics show; waits until it has measured the log of a new database. */
export async function measuredLogStorage(database: Database, signal: AbortSignal): Promise<LogStorage> {
  const deadline = Date.now() + measuredTimeoutMs;
  for (;;) {
    const size = await logSize(database, signal);
    if (size === null) return 'unknown';
    if (size > 0) return 'disk';
    if (Date.now() > deadline) return 'memory';
    await sleep(pollMs, undefined, { signal });
  }
}
