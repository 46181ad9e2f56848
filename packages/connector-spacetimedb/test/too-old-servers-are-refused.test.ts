import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { loneTargetOptions, startLoneTarget } from '@fair-bench/supervisor';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';
import { transfers } from './transfers.ts';

test.for(['1.12.0', '0.9.9'])(
  'a server of version %s is refused, with the needed version',
  async (version) => {
    const double = await startDoubleOfServer(version);
    try {
      const options = { ...loneTargetOptions, url: double.url, workload: transfers };
      const said = `SpacetimeDB ${version} at ${double.url}/ is too old; 2.0 or later is needed`;
      expect(await connector.routes.sdk.probe(options)).toMatchObject({ available: false, reason: said });
      await expect(startLoneTarget(routeOf(connector, 'sdk'), options)).rejects.toThrow(said);
      expect(double.requests().filter((request) => request !== 'GET /v1/health')).toEqual([]);
    } finally {
      await double.close();
    }
  },
);

test('a server of the needed version is accepted', async () => {
  const double = await startDoubleOfServer('2.0.0');
  try {
    expect(await connector.routes.sdk.probe({ ...loneTargetOptions, url: double.url })).toEqual({
      available: true,
      provider: 'url',
      version: '2.0.0',
    });
  } finally {
    await double.close();
  }
});

test('a program of an old version is refused without being started', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'fair-bench-double-'));
  const double = join(directory, 'double-of-spacetimedb-standalone');
  await writeFile(
    double,
    '#!/bin/sh\necho "spacetimedb tool version 1.12.0; spacetimedb-lib version 1.12.0;"\n',
  );
  await chmod(double, 0o755);
  vi.stubEnv('FAIR_BENCH_SPACETIMEDB_BIN', double);
  try {
    const said = `SpacetimeDB 1.12.0 at ${double} is too old; 2.0 or later is needed`;
    expect(await connector.routes.sdk.probe(loneTargetOptions)).toMatchObject({
      available: false,
      reason: said,
    });
    await expect(startLoneTarget(routeOf(connector, 'sdk'), { workload: transfers })).rejects.toThrow(said);
  } finally {
    vi.unstubAllEnvs();
    await rm(directory, { recursive: true });
  }
});

/** Not SpacetimeDB: answers only the request for the version, and records its requests. */
async function startDoubleOfServer(
  version: string,
): Promise<{ url: string; requests: () => readonly string[]; close: () => Promise<void> }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ version }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the double has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests: () => requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
