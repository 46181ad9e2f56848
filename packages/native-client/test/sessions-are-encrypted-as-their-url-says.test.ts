import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from '@fair-bench/connector-postgres';
import { routeOf } from '@fair-bench/contract';
import { runClient } from '@fair-bench/load-client/test-support';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { command, needsNative } from './support/native.ts';
import { type TestTarget, startTarget } from './support/target.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl)
  process.stdout.write('skipped: TLS of the native client: no openssl on PATH makes a certificate\n');

describe.skipIf(command === null || !hasOpenssl)('PostgreSQL with a private authority', needsNative, () => {
  let target: TestTarget;
  let folder = '';

  beforeAll(async () => {
    target = await startTarget(routeOf(postgres, 'driver'));
    folder = await mkdtemp(join(tmpdir(), 'fair-bench-tls-'));
    const openssl = (...words: readonly string[]): void => {
      const made = spawnSync('openssl', words, { cwd: folder });
      if (made.status !== 0) throw new Error(`openssl: ${made.stderr.toString()}`);
    };
    const [key, days] = ['-newkey rsa:2048 -nodes', '-days 2'].map((words) => words.split(' '));
    for (const name of ['ca', 'other'])
      openssl(
        'req',
        '-x509',
        ...(key ?? []),
        ...(days ?? []),
        '-subj',
        `/CN=${name}`,
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.crt`,
      );
    openssl(
      'req',
      ...(key ?? []),
      '-subj',
      '/CN=server',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
      '-keyout',
      'server.key',
      '-out',
      'server.csr',
    );
    openssl(
      'x509',
      '-req',
      ...(days ?? []),
      '-in',
      'server.csr',
      '-CA',
      'ca.crt',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-copy_extensions',
      'copy',
      '-out',
      'server.crt',
    );
    const client = new Client({ connectionString: target.deployment.endpoint.url });
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
  }, 60_000);
  afterAll(async () => {
    await target.close();
    await rm(folder, { recursive: true, force: true });
  });

  const timing = { windowMs: 300 };
  const planAt = (sslmode: string, authority?: string, host = '127.0.0.1') => {
    const url = new URL(target.deployment.endpoint.url);
    url.hostname = host;
    url.searchParams.set('sslmode', sslmode);
    if (authority !== undefined) url.searchParams.set('sslrootcert', join(folder, authority));
    const endpoint = { ...target.deployment.endpoint, url: url.href };
    return target.plan('postgres', { endpoint, sessions: 3, timing });
  };
  /** Whether a client has sessions, or why not. */
  const reached = async (sslmode: string, authority?: string, host?: string): Promise<string> => {
    const plan = planAt(sslmode, authority, host);
    try {
      await runClient(command ?? '', plan);
      return 'reached';
    } catch (error) {
      return String(error);
    }
  };

  test('each mode verifies what it verifies in psql', async () => {
    // It reads its settings anew in a moment.
    await expect.poll(async () => await reached('require'), { timeout: 10_000 }).toBe('reached');
    expect(await reached('require')).toBe('reached');
    expect(await reached('verify-ca', 'ca.crt')).toBe('reached');
    expect(await reached('verify-full', 'ca.crt')).toBe('reached');
    expect(await reached('require', 'other.crt')).toMatch(/UnknownIssuer/);
    expect(await reached('verify-ca', 'other.crt')).toMatch(/UnknownIssuer/);
    // The certificate has the address alone.
    expect(await reached('verify-ca', 'ca.crt', 'localhost')).toBe('reached');
    expect(await reached('verify-full', 'ca.crt', 'localhost')).toMatch(/not valid for name|NotValidForName/);
  }, 60_000);

  test('every session is encrypted, and every balance is what the outcome log says', async () => {
    await target.seed();
    const plan = planAt('verify-full', 'ca.crt');
    const client = new Client({ connectionString: target.deployment.endpoint.url });
    await client.connect();
    const trial = runClient(command ?? '', plan);
    const seen = async (): Promise<unknown> => {
      const { rows } = await client.query(
        `SELECT count(*)::int AS sessions, count(*) FILTER (WHERE ssl)::int AS encrypted FROM pg_stat_ssl
         JOIN pg_stat_activity USING (pid) WHERE application_name = $1`,
        [plan.endpoint.options['applicationName']],
      );
      return rows[0];
    };
    await expect.poll(seen, { interval: 20 }).toEqual({ sessions: 3, encrypted: 3 });
    const result = await trial;
    await client.end();
    expect(await target.audit(result)).toMatchObject({ status: 'passed', mismatches: 0 });
    expect(result.window.applied).toBeGreaterThan(0);
  });
});
