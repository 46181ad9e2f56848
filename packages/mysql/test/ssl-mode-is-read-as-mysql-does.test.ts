import { suiteTarget, targetWorkload, workloadNamed } from '@fair-bench/conformance';
import { plainText, routeOf, tlsSetting } from '@fair-bench/contract';
import { loneTargetOptions, startLoneTarget } from '@fair-bench/supervisor';
import { beforeAll, describe, expect, test } from 'vitest';
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

const workload = await workloadNamed('transfer');

describe.for(members)('a real $name with a certificate of a private authority', async (member) => {
  const { connector, name, system } = member;
  const { lacking, target } = await suiteTarget(routeOf(connector, 'driver'), workload, {
    extra: { tls: 'on' },
  });

  const at = (query: string): string => {
    const [plain] = target().deployment.endpoint.url.split('?', 1);
    return `${plain}${query}`;
  };
  let authority = '';
  beforeAll(async () => {
    if (lacking !== null) return;
    const connection = await system.connect(at(''));
    const rows = await connection.query('SELECT @@ssl_cert', []);
    await connection.end();
    authority = `ssl-ca=${encodeURIComponent(String(rows[0]?.[0]))}`;
  });

  test('is reached as each mode says', async ({ skip }) => {
    if (lacking !== null) skip(lacking);
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
    expect(await versionAt(`?${authority}`)).toMatch(/^TLSv1\.[23]$/);
    const verified = await versionAt(`?ssl-mode=VERIFY_IDENTITY&${authority}`);
    expect(verified).toMatch(
      name === 'mysql' ? /does not compare the address 127\.0\.0\.1 with a certificate/ : /^TLSv1\.[23]$/,
    );
    const byName = (query: string): string => query.replace('@127.0.0.1', '@localhost');
    expect(await versionAt(`?ssl-mode=VERIFY_IDENTITY&${authority}`, byName)).toMatch(/^TLSv1\.[23]$/);
    expect(await versionAt('?ssl-mode=VERIFY_IDENTITY', byName)).toMatch(/self-signed certificate/);
  });

  test('a call that waits ends with its encrypted connection', async ({ skip }) => {
    if (lacking !== null) skip(lacking);
    const connection = await system.connect(at('?ssl-mode=REQUIRED'));
    const waiting = connection.query('SELECT SLEEP(30)', []).catch(String);
    setTimeout(() => void connection.end(), 100);
    expect(await waiting).toContain('the connection was ended');
  });

  test('tls=on encrypts the sessions of a server of ours, and no URL has it', async ({ skip }) => {
    if (lacking !== null) skip(lacking);
    const { settings } = await target().deployment.facts(AbortSignal.timeout(10_000));
    expect(settings[tlsSetting]).toMatch(/^TLSv1\.[23]$/);
    const asked = {
      ...loneTargetOptions,
      url: at(''),
      extra: { tls: 'on' },
      workload: targetWorkload(workload),
    };
    expect(await routeOf(connector, 'driver').probe(asked)).toMatchObject({
      available: false,
      remedy: 'say it in the URL: ?ssl-mode=REQUIRED',
    });
  });

  test.for(['driver', 'drizzle'] as const)(
    'the route %s says in its facts what its sessions have',
    async (route, { skip }) => {
      if (lacking !== null) skip(lacking);
      for (const [query, expected] of [
        ['?ssl-mode=REQUIRED', /^TLSv1\.[23]$/],
        ['', new RegExp(`^${plainText}$`)],
      ] as const) {
        const options = { ...loneTargetOptions, url: at(query), workload: targetWorkload(workload) };
        const named = await startLoneTarget(routeOf(connector, route), options);
        try {
          const { settings } = await named.deployment.facts(AbortSignal.timeout(10_000));
          expect(settings[tlsSetting]).toMatch(expected);
        } finally {
          await named.close();
        }
      }
    },
  );
});
