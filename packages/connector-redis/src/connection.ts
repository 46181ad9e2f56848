import { readFile } from 'node:fs/promises';
import { createClient } from '@redis/client';
import type { KeyValueConnection, StoredRow } from '@fair-bench/key-value';

const scriptUrl = new URL('steps.lua', import.meta.url);
const run = 'fair_bench_run';
const keysPerPage = 5_000;
const settingNames =
  'appendfsync appendonly auto-aof-rewrite-percentage io-threads maxmemory maxmemory-policy no-appendfsync-on-rewrite save';

/** One connection that neither reconnects nor queues: a lost one fails what is outstanding. */
export async function connect(url: string): Promise<KeyValueConnection> {
  const client = createClient({
    url,
    RESP: 2,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: false },
  });
  // A lost connection is reported by the commands that it ends.
  client.on('error', () => undefined);
  await client.connect().catch((error: unknown) => {
    client.destroy();
    throw error;
  });
  const send = async (...words: readonly string[]): Promise<unknown> => await client.sendCommand(words);
  return {
    get usable() {
      return client.isReady;
    },
    install: async () => void (await send('FUNCTION', 'LOAD', 'REPLACE', await readFile(scriptUrl, 'utf8'))),
    run: async (program) => answerOf(await client.sendCommand(['FCALL', run, '0', ...program])),
    // Of other clients too: at least ours.
    executed: async () =>
      Number(/^cmdstat_fcall:calls=(\d+)/m.exec(String(await send('INFO', 'commandstats')))?.[1] ?? 0),
    settings: async () => await settingsOf(send),
    put: async (rows) => void (await Promise.all(rows.flatMap((row) => putOne(send, row)))),
    get: async (keys, fields) =>
      await Promise.all(
        keys.map(async (key) => {
          const row = await send('HMGET', key, ...fields);
          return Array.isArray(row) && row[0] !== null ? textsIn(row) : null;
        }),
      ),
    keys: (prefix) => keysIn(send, prefix),
    remove: async (keys) => void (await send('UNLINK', ...keys)),
    end: () => client.destroy(),
  };
}

type Send = (...words: readonly string[]) => Promise<unknown>;

function putOne(send: Send, { key, fields, order }: StoredRow): Promise<unknown>[] {
  const row = send('HSET', key, ...fields.flat());
  return order === null ? [row] : [row, send('ZADD', order.set, '0', order.member)];
}

async function* keysIn(send: Send, prefix: string): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const reply = await send('SCAN', cursor, 'MATCH', `${prefix}*`, 'COUNT', String(keysPerPage));
    const [next, keys] = Array.isArray(reply) ? reply : [];
    if (typeof next !== 'string') throw new Error('redis: SCAN gave no cursor');
    cursor = next;
    yield textsIn(keys);
  } while (cursor !== '0');
}

function answerOf(reply: unknown): number | readonly (readonly string[])[] {
  if (typeof reply === 'number') return reply;
  return Array.isArray(reply) ? reply.map(textsIn) : [];
}

function textsIn(reply: unknown): readonly string[] {
  return Array.isArray(reply) ? reply.map(String) : [];
}

/** Valkey keeps Redis's version for old clients, and has its own beside it. */
async function settingsOf(send: Send): Promise<Record<string, string>> {
  // Rejects while the log is being loaded, when other questions are answered.
  await send('PING');
  const server = String(await send('INFO', 'server'));
  const version = /^valkey_version:(\S+)/m.exec(server)?.[1] ?? /^redis_version:(\S+)/m.exec(server)?.[1];
  const all = textsIn(await send('CONFIG', 'GET', ...settingNames.split(' ')));
  const settings = all.flatMap((name, place) => (place % 2 === 0 ? [[name, all[place + 1] ?? '']] : []));
  return { version: version ?? 'unknown', ...Object.fromEntries(settings) };
}
