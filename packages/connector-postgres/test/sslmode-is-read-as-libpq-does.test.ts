import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultTargetSettings } from '@fair-bench/contract';
import { probeFor } from '../src/probe.ts';
import { asLibpq } from '../src/session-url.ts';
import { startServer, type TestServer } from './support/provision.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) process.stdout.write('skipped: TLS by sslmode: no openssl on PATH makes a certificate\n');

test.each([
  ['postgres://u@h/d', 'postgres://u@h/d'],
  ['postgres://u@h/d?sslmode=disable', 'postgres://u@h/d?sslmode=disable'],
  ['postgres://u@h/d?sslmode=require', 'postgres://u@h/d?sslmode=require&uselibpqcompat=true'],
  ['postgres://u@h/d?sslrootcert=system', 'postgres://u@h/d?sslmode=verify-full&uselibpqcompat=true'],
])('%s becomes %s', (url, expected) => {
  expect(asLibpq(url)).toBe(expected);
  expect(asLibpq(asLibpq(url))).toBe(expected);
});

test.skipIf(!hasOpenssl)('a certificate of a private authority', async () => {
  const at = (sslmode: string, more = ''): string => `${server.service.url}?sslmode=${sslmode}${more}`;
  const reached = async (url: string): Promise<string> => {
    const answer = await probeFor([], 'sessions')({ ...options, url });
    return answer.available ? 'reached' : answer.reason;
  };
  // It reads its settings anew in a moment.
  await expect.poll(async () => await reached(at('require'))).toBe('reached');
  expect(await reached(at('verify-full'))).toMatch(/self-signed certificate/);
  expect(await reached(at('verify-full', '&sslrootcert=system'))).toMatch(/self-signed certificate/);
  const authority = `&sslrootcert=${encodeURIComponent(join(folder, 'server.crt'))}`;
  expect(await reached(at('verify-ca', authority))).toBe('reached');
  expect(await reached(at('verify-full', authority))).toBe('reached');
  const client = new Client({ connectionString: asLibpq(at('require')) });
  await client.connect();
  const { rows } = await client.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
  await client.end();
  expect(rows).toEqual([{ ssl: true }]);
});

const options = {
  ...defaultTargetSettings,
  poolSize: 8,
  sessionsMax: 8,
  depthMax: 1,
  threadsMax: 1,
  batchMax: 1,
  workload: null,
} as const;
let server: TestServer;
let folder = '';

beforeAll(async () => {
  if (!hasOpenssl) return;
  server = await startServer();
  folder = await mkdtemp(join(tmpdir(), 'fair-bench-tls-'));
  const made = spawnSync('openssl', [
    ...'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1'.split(
      ' ',
    ),
    '-keyout',
    join(folder, 'server.key'),
    '-out',
    join(folder, 'server.crt'),
  ]);
  if (made.status !== 0) throw new Error(`openssl: ${made.stderr.toString()}`);
  const client = new Client({ connectionString: server.service.url });
  await client.connect();
  const { rows } = await client.query<{ data: string }>("SELECT current_setting('data_directory') AS data");
  // The server writes them itself: it may run as another user, and its key must be that user's.
  for (const name of ['server.key', 'server.crt']) {
    const lines = (await readFile(join(folder, name), 'utf8')).trim().replaceAll('\n', '|');
    await client.query(
      `COPY (SELECT unnest(string_to_array('${lines}', '|'))) TO PROGRAM 'umask 077; cat > "${rows[0]?.data}/${name}"'`,
    );
  }
  await client.query('ALTER SYSTEM SET ssl = on');
  await client.query('SELECT pg_reload_conf()');
  await client.end();
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});
