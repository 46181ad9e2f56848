import { describe, expect, test } from 'vitest';
import { suiteTarget, targetWorkload, workloadNamed } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import { loneTargetOptions, startLoneTarget } from '@fair-bench/supervisor';
import { members } from './support/members.ts';

const counter = await workloadNamed('counter');
const workload = targetWorkload(counter);

describe.for(members)('$name', async (member) => {
  const { connector, name, system } = member;
  const { lacking, target } = await suiteTarget(routeOf(connector, 'driver'), counter);
  const urlOf = (user: string): string => {
    const url = new URL(target().deployment.endpoint.url);
    url.username = user;
    return url.href;
  };
  const asRoot = async (...statements: readonly string[]): Promise<void> => {
    const root = await system.connect(urlOf('root'));
    for (const statement of statements) await root.query(statement, []);
    await root.end();
  };

  test('with few connections it is unavailable, with the number of sessions or of the pool that then fits', async ({
    skip,
  }) => {
    if (lacking !== null) skip(lacking);
    await asRoot("CREATE USER few@'%' WITH MAX_USER_CONNECTIONS 20", "GRANT ALL ON fair_bench.* TO few@'%'");
    const probe = async (route: 'driver' | 'drizzle', sizes: { sessionsMax?: number; poolSize?: number }) =>
      await routeOf(connector, route).probe({ ...loneTargetOptions, url: urlOf('few'), workload, ...sizes });
    const refused = await probe('driver', { sessionsMax: 50 });
    expect(refused).toMatchObject({
      available: false,
      remedy: 'at most --sessions 12 fits',
      fits: { option: 'sessions', most: 12 },
    });
    expect(refused).toHaveProperty(
      'reason',
      expect.stringMatching(
        /^it needs 58 connections .* gives this user 20 \(max_user_connections = 20, 0 open\)$/,
      ),
    );
    expect(await probe('driver', { sessionsMax: 12 })).toMatchObject({ available: true });
    expect(await probe('drizzle', { poolSize: 13 })).toMatchObject({
      fits: { option: 'poolSize', most: 12 },
    });
    expect(await probe('drizzle', { poolSize: 12, sessionsMax: 50 })).toMatchObject({ available: true });
  });

  test('seeding and audit take their time where statements of the user may not', async ({ skip }) => {
    if (lacking !== null) skip(lacking);
    const limit = name === 'mysql' ? 'max_execution_time' : 'max_statement_time';
    // Milliseconds, and seconds: more than reading the settings takes on a slow machine, and less than some of so many rows take.
    const [least, none] = name === 'mysql' ? ['1', '0'] : ['0.01', '0'];
    await asRoot(`SET GLOBAL ${limit} = ${least}`);
    const named = await startLoneTarget(routeOf(connector, 'driver'), {
      ...loneTargetOptions,
      url: urlOf('root'),
      workload: targetWorkload(await workloadNamed('point-read')),
    });
    const signal = AbortSignal.timeout(60_000);
    try {
      // The user's own limit stays in force for the timed sessions, and the facts show it.
      const { settings } = await named.deployment.facts(signal);
      expect(Number(settings[limit])).toBe(Number(least));
      const rows = Array.from({ length: 60_000 }, (_, id) => [id, BigInt(id)]);
      await named.deployment.tables.load(0, pages(rows), signal);
      expect((await Array.fromAsync(named.deployment.tables.scan(0, signal))).flat()).toHaveLength(60_000);
    } finally {
      await asRoot(`SET GLOBAL ${limit} = ${none}`);
      await named.close();
    }
  }, 60_000);

  test('a server of the other name is not taken for it', async ({ skip }) => {
    if (lacking !== null) skip(lacking);
    const other = members.find((one) => one.name !== name);
    const found = await routeOf(other?.connector ?? connector, 'driver').probe({
      ...loneTargetOptions,
      url: urlOf('root').replace(`${name}:`, `${other?.name}:`),
      workload,
    });
    expect(found).toMatchObject({ available: false });
    expect(found).toHaveProperty(
      'reason',
      expect.stringContaining(name === 'mysql' ? 'is MySQL' : 'is MariaDB'),
    );
  });
});

async function* pages<T>(rows: readonly T[]): AsyncGenerator<readonly T[]> {
  yield await Promise.resolve(rows);
}
