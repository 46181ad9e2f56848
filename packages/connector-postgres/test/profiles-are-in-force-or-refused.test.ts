import { defaultTargetSettings, routeOf } from '@fair-bench/contract';
import { startLoneTarget } from '@fair-bench/supervisor';
import { afterAll, beforeAll, expect, test } from 'vitest';
import connector from '../src/index.ts';
import { probeFor } from '../src/probe.ts';
import { profileOf } from '../src/profile.ts';
import { tunedServerSettings, tunedTableSettings } from '../src/tuned-profile.ts';
import { boxes } from './support/boxes/workload.ts';
import { seedBoxes, soon, startServer, type TestServer } from './support/provision.ts';

const machine = { cores: 8, memoryBytes: 16 * 2 ** 30 };
const tuned = { profile: 'tuned', extra: {} };

let servers: { readonly stock: TestServer; readonly tuned: TestServer };

beforeAll(async () => {
  servers = { stock: await startServer(), tuned: await startServer({ profile: 'tuned' }) };
});
afterAll(async () => {
  await servers.stock.close();
  await servers.tuned.close();
});

test('a tuned server has every setting of the profile in force, as its sessions read it', async () => {
  const server = servers.tuned;
  await seedBoxes(server.service, 100, 1n);
  const session = await server.session();
  const settings = await (await session.connection()).settings();
  await session.close();
  expect(settings).toMatchObject(profileOf(tuned).server);
  // Two of the three tables are written.
  expect(settings['fair_bench.tables']).toBe('box: fillfactor=50; colour: default; label: fillfactor=50');
  expect(settings).toMatchObject({ fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' });
  expect(server.service.settings['fair_bench.profile']).toBe('tuned');
});

test('the profile leaves durability alone, gives a reason for each setting and follows the machine', () => {
  const all = [...tunedServerSettings, ...tunedTableSettings];
  const durability = ['fsync', 'full_page_writes', 'synchronous_commit', 'wal_sync_method'];
  expect(all.map(({ name }) => name).filter((name) => durability.includes(name))).toEqual([]);
  expect(all.every(({ reason }) => reason.length > 20)).toBe(true);
  expect(profileOf(tuned, machine).server['shared_buffers']).toBe('4GB');
  expect(profileOf(tuned, { ...machine, memoryBytes: 2 ** 30 }).server['shared_buffers']).toBe('256MB');
  expect(profileOf(defaultTargetSettings)).toEqual({ name: 'default', server: {}, table: {} });
});

test('a setting can be left out to price it, which the name shows; an unknown one is refused', () => {
  const without = profileOf({ profile: 'tuned', extra: { without: 'fillfactor,shared_buffers' } });
  expect(without.name).toBe('tuned without fillfactor, shared_buffers');
  expect(without.table).toEqual({});
  expect(without.server).not.toHaveProperty('shared_buffers');
  for (const either of ['wal_level', 'max_wal_senders']) {
    const { server } = profileOf({ profile: 'tuned', extra: { without: either } });
    expect(
      Object.keys(server).filter((one) => one.startsWith('max_wal_senders') || one === 'wal_level'),
    ).toEqual([]);
  }
  expect(() => profileOf({ profile: 'tuned', extra: { without: 'fsync' } })).toThrow(
    'settings of the profile',
  );
});

test('a setting can have another value to price it, which the name shows; durability cannot', () => {
  const delayed = profileOf({ profile: 'tuned', extra: { with: 'commit_delay=700,fillfactor=90' } });
  expect(delayed.name).toBe('tuned with commit_delay = 700, fillfactor = 90');
  expect(delayed.server['commit_delay']).toBe('700');
  expect(delayed.table).toEqual({ fillfactor: '90' });
  for (const [refused, said] of [
    ['synchronous_commit=off', 'settings of the profile'],
    ['fillfactor', 'name=value'],
    ['fillfactor=9=0', 'name=value'],
  ] as const) {
    expect(() => profileOf({ profile: 'tuned', extra: { with: refused } })).toThrow(said);
  }
});

test.each(['driver', 'storedproc'] as const)(
  '%s is stock, and tuned if requested, also with a profile',
  async (name) => {
    const route = routeOf(connector, name);
    for (const [profile, extra, codec] of [
      ['default', {}, 'stock'],
      ['default', { clientCodec: 'tuned' }, 'tuned'],
      ['tuned', { clientCodec: 'tuned', without: 'jit' }, 'tuned'],
    ] as const) {
      const options = { workload: boxes, profile, extra };
      const sizes = { sessionsMax: 8, depthMax: 1, threadsMax: 1, batchMax: 1 };
      expect(await route.probe({ ...defaultTargetSettings, ...sizes, ...options })).toMatchObject({
        available: true,
      });
      const { url } = (profile === 'tuned' ? servers.tuned : servers.stock).service;
      const target = await startLoneTarget(route, { ...options, url });
      try {
        expect((await target.deployment.facts(soon())).clientCodec).toBe(codec);
      } finally {
        await target.close();
      }
    }
  },
);

test('a server at a URL with other settings is unavailable as tuned, with the difference', async () => {
  const { url } = servers.stock.service;
  const options = {
    ...defaultTargetSettings,
    sessionsMax: 8,
    depthMax: 1,
    threadsMax: 1,
    batchMax: 1,
    workload: boxes,
    url,
  };
  expect(await probeFor([], 'sessions')({ ...options, profile: 'tuned' })).toMatchObject({
    available: false,
    reason: expect.stringContaining('wal_level is replica, not minimal'),
    remedy: expect.stringContaining('postgresql.conf'),
  });
  expect(await probeFor([], 'sessions')(options)).toMatchObject({ available: true });
  await expect(startServer({ url, profile: 'tuned' })).rejects.toThrow('differs from the profile');
});
