import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { targetWorkload, workloadNamed } from '@fair-bench/conformance';
import { plainText, routeOf, tlsSetting } from '@fair-bench/contract';
import {
  findProgram,
  type LoneTarget,
  programVersion,
  loneTargetOptions,
  startLoneTarget,
} from '@fair-bench/supervisor';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpointOf } from '../src/endpoint.ts';
import { members } from './support/members.ts';

test.each([
  ['', undefined],
  ['?ssl-mode=DISABLED', undefined],
  ['?ssl-mode=required', { rejectUnauthorized: false }],
  [
    '?ssl-mode=VERIFY_IDENTITY',
    { rejectUnauthorized: true, verifyIdentity: true, checkServerIdentity: expect.any(Function) },
  ],
])('mariadb://u@h/d%s', (query, ssl) => {
  expect(endpointOf(`mariadb://u@h/d${query}`).ssl).toEqual(ssl);
});

test('another mode is refused with what is accepted', () => {
  expect(() => endpointOf('mariadb://u@h/d?ssl-mode=PREFERRED')).toThrow(
    'ssl-mode: got "PREFERRED"; accepts DISABLED, REQUIRED, VERIFY_CA, VERIFY_IDENTITY',
  );
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const workload = await workloadNamed('transfer');

describe.for(members)('a real $name with a certificate of a private authority', async (member) => {
  const { connector, name, system } = member;
  const [program = ''] = system.local?.programs ?? [];
  const isOwn = async (path: string): Promise<boolean> =>
    system.otherSystem?.(await programVersion(path)) === null;
  const real = await findProgram({ system: system.name, names: [program], isOwn });

  const lacking = real === null || !hasOpenssl ? `${program} or openssl is not on PATH` : null;
  let folder = '';
  let server: LoneTarget | null = null;

  beforeAll(async () => {
    if (lacking !== null) return;
    folder = await mkdtemp(join(tmpdir(), 'fair-bench-mysql-tls-'));
    // Started by root, the server has a user of its own.
    await chmod(folder, 0o755);
    const subject = '/CN=localhost -addext subjectAltName=IP:127.0.0.1,DNS:localhost'.split(' ');
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'server.pem')];
    const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', ...subject];
    const made = spawnSync('openssl', [...words, '-keyout', key, '-out', certificate]);
    if (made.status !== 0) throw new Error(`openssl: ${made.stderr.toString()}`);
    await chmod(key, 0o644);
    const wrapped = await programWith(`--ssl-cert=${certificate} --ssl-key=${key}`);
    const options = { ...loneTargetOptions, program: wrapped, workload: targetWorkload(workload) };
    server = await startLoneTarget(routeOf(connector, 'driver'), options);
  }, 60_000);
  afterAll(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The real program, beside its own files, with more words. */
  async function programWith(words: string): Promise<string> {
    const path = await realpath(real ?? '');
    for (const one of ['share', 'bin', 'lib'])
      await symlink(join(dirname(dirname(path)), one), join(folder, one));
    await mkdir(join(folder, 'sbin'));
    const wrapper = join(folder, 'sbin', program);
    await writeFile(wrapper, `#!/bin/sh\nexec '${path}' "$@" ${words}\n`);
    await chmod(wrapper, 0o755);
    return wrapper;
  }

  const at = (query: string): string => `${server?.deployment.endpoint.url}${query}`;
  const authority = (): string => `ssl-ca=${encodeURIComponent(join(folder, 'server.pem'))}`;

  test('is reached as each mode says', async ({ skip }) => {
    if (server === null) skip(lacking ?? 'it was not started');
    const versionAt = async (
      query: string,
      renamed: (url: string) => string = (url) => url,
    ): Promise<string> => {
      try {
        const connection = await system.connect(renamed(at(query)));
        const rows = await connection.query("SHOW SESSION STATUS LIKE 'Ssl_version'", []);
        await connection.end();
        return String(rows[0]?.[1]);
      } catch (error) {
        return String(error);
      }
    };
    expect(await versionAt('')).toBe('');
    expect(await versionAt('?ssl-mode=REQUIRED')).toMatch(/^TLSv1\.[23]$/);
    expect(await versionAt(`?${authority()}`)).toMatch(/^TLSv1\.[23]$/);
    const verified = await versionAt(`?ssl-mode=VERIFY_IDENTITY&${authority()}`);
    expect(verified).toMatch(
      name === 'mysql' ? /does not compare the address 127\.0\.0\.1 with a certificate/ : /^TLSv1\.[23]$/,
    );
    const byName = (query: string): string => query.replace('@127.0.0.1', '@localhost');
    expect(await versionAt(`?ssl-mode=VERIFY_IDENTITY&${authority()}`, byName)).toMatch(/^TLSv1\.[23]$/);
    expect(await versionAt('?ssl-mode=VERIFY_IDENTITY', byName)).toMatch(/self-signed certificate/);
  });

  test('a call that waits ends with its encrypted connection', async ({ skip }) => {
    if (server === null) skip(lacking ?? 'it was not started');
    const connection = await system.connect(at('?ssl-mode=REQUIRED'));
    const waiting = connection.query('SELECT SLEEP(30)', []).catch(String);
    setTimeout(() => void connection.end(), 100);
    expect(await waiting).toContain('the connection was ended');
  });

  test.for(['driver', 'drizzle'] as const)(
    'the route %s says in its facts what its sessions have',
    async (route, { skip }) => {
      if (server === null) skip(lacking ?? 'it was not started');
      for (const [query, expected] of [
        ['?ssl-mode=REQUIRED', /^TLSv1\.[23]$/],
        ['', new RegExp(`^${plainText}$`)],
      ] as const) {
        const options = { ...loneTargetOptions, url: at(query), workload: targetWorkload(workload) };
        const target = await startLoneTarget(routeOf(connector, route), options);
        try {
          const { settings } = await target.deployment.facts(AbortSignal.timeout(10_000));
          expect(settings[tlsSetting]).toMatch(expected);
        } finally {
          await target.close();
        }
      }
    },
  );
});
