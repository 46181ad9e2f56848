import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultTargetSettings, tlsSetting } from '@fair-bench/contract';
import { probeFor } from '../src/probe.ts';
import { asLibpq } from '../src/session-url.ts';
import { factsFromSettings } from '../src/settings.ts';
import { startServer, type TestServer } from './support/provision.ts';

test.each([
  ['postgres://u@h/d', 'postgres://u@h/d'],
  ['postgres://u@h/d?sslmode=disable', 'postgres://u@h/d?sslmode=disable'],
  ['postgres://u@h/d?sslmode=require', 'postgres://u@h/d?sslmode=require&uselibpqcompat=true'],
  ['postgres://u@h/d?sslrootcert=system', 'postgres://u@h/d?sslmode=verify-full&uselibpqcompat=true'],
])('%s becomes %s', (url, expected) => {
  expect(asLibpq(url)).toBe(expected);
  expect(asLibpq(asLibpq(url))).toBe(expected);
});

test('a certificate of a private authority', async () => {
  const [plain] = server.service.url.split('?', 1);
  const at = (sslmode: string, more = ''): string => `${plain}?sslmode=${sslmode}${more}`;
  const reached = async (url: string): Promise<string> => {
    const answer = await probeFor([], 'sessions')({ ...options, url });
    return answer.available ? 'reached' : answer.reason;
  };
  expect(await reached(at('require'))).toBe('reached');
  expect(await reached(at('verify-full'))).toMatch(/self-signed certificate/);
  expect(await reached(at('verify-full', '&sslrootcert=system'))).toMatch(/self-signed certificate/);
  const authority = `&sslrootcert=${encodeURIComponent(certificate)}`;
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
let certificate = '';

beforeAll(async () => {
  server = await startServer({ extra: { tls: 'on' } });
  const client = new Client({ connectionString: server.service.url });
  await client.connect();
  const { rows } = await client.query<{ file: string }>("SELECT current_setting('ssl_cert_file') AS file");
  await client.end();
  certificate = rows[0]?.file ?? '';
});
afterAll(async () => await server.close());

test('tls=on encrypts the sessions of a server of ours, and no URL has it', async () => {
  const session = await server.session();
  expect(factsFromSettings(await (await session.connection()).settings()).settings[tlsSetting]).toMatch(
    /^TLSv1\.[23]$/,
  );
  await session.close();
  const asked = { ...options, extra: { tls: 'on' } };
  expect(await probeFor([], 'sessions')({ ...asked, url: server.service.url })).toMatchObject({
    available: false,
    remedy: 'say it in the URL: ?sslmode=require',
  });
  expect(await probeFor([], 'sessions')({ ...asked, pooler: 'pgbouncer' })).toMatchObject({
    available: false,
  });
});
