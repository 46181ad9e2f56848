import { createServer } from 'node:http';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { defaultTargetSettings, type TargetOptions } from '@fair-bench/contract';
import { probeConvex } from '../src/probe.ts';
import { doubleVersion, startConvexProtocolDouble } from './support/convex-protocol-double.ts';

const double = await startConvexProtocolDouble();
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(async () => await double.close());

function options(url: string | null, settings: Partial<TargetOptions> = {}): TargetOptions {
  return {
    ...defaultTargetSettings,
    ...(url === null ? {} : { url }),
    sessionsMax: 1,
    depthMax: 1,
    threadsMax: 1,
    batchMax: 1,
    workload: null,
    ...settings,
  };
}

test('without a URL it gives the reason, and the ways to get a deployment', async () => {
  const found = await probeConvex(options(null));
  if (found.available) throw new Error('it is reported as available');
  expect(found.reason).toBe('no Convex deployment is named, and none can be started here');
  for (const way of ['docker compose', 'Convex Cloud', '--url convex=', 'CONVEX_SELF_HOSTED_ADMIN_KEY']) {
    expect(found.remedy).toContain(way);
  }
});

test('a deployment that answers and accepts the key is available, with its own version', async () => {
  vi.stubEnv('CONVEX_SELF_HOSTED_ADMIN_KEY', double.adminKey);
  expect(await probeConvex(options(double.url))).toEqual({
    available: true,
    provider: 'url',
    version: doubleVersion,
  });
  expect(double.pushes(), 'a probe pushes nothing').toEqual([]);
});

test('the key is that of the variable which the target names', async () => {
  vi.stubEnv('CONVEX_SELF_HOSTED_ADMIN_KEY', 'of|another');
  vi.stubEnv('OTHER_KEY', double.adminKey);
  const extra = { adminKeyVariable: 'OTHER_KEY' };
  expect(await probeConvex(options(double.url, { extra }))).toMatchObject({ available: true });
  vi.stubEnv('OTHER_KEY', '');
  expect(await probeConvex(options(double.url, { extra }))).toMatchObject({
    available: false,
    reason: expect.stringContaining('the environment has no OTHER_KEY'),
  });
});

test.for([
  { title: 'a refused key', key: 'double|00ff00ff', reason: /answered 401: .*BadAdminKey/ },
  { title: 'a profile without its limits', profile: 'raised', reason: /says nothing without the limit/ },
  { title: 'an unknown setting', extra: { adminKey: 'double|00ff00ff' }, reason: /Unrecognized key/ },
  { title: 'another scheme', url: 'postgres://127.0.0.1/', reason: /does not begin with http/ },
])('$title is the reason, without a secret', async ({ key, profile, extra, url, reason }) => {
  vi.stubEnv('CONVEX_SELF_HOSTED_ADMIN_KEY', key ?? double.adminKey);
  const settings = {
    ...(profile === undefined ? {} : { profile }),
    ...(extra === undefined ? {} : { extra }),
  };
  const found = await probeConvex(options(url ?? double.url, settings));
  expect(found).toMatchObject({ available: false, reason: expect.stringMatching(reason) });
  expect(JSON.stringify(found)).not.toMatch(/00ff00ff|feedface/);
});

test('a server that is not Convex is refused', async () => {
  vi.stubEnv('CONVEX_SELF_HOSTED_ADMIN_KEY', double.adminKey);
  // A double of any web server: one page for every path, which echoes the request.
  const server = createServer((request, response) => {
    response.end(`<html>you sent ${request.headers.authorization}</html>`);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const found = await probeConvex(options(`http://127.0.0.1:${address.port}`));
  expect(found).toMatchObject({ available: false });
  expect(JSON.stringify(found)).not.toContain(double.adminKey);
  server.closeAllConnections();
  server.close();
});
