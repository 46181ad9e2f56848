import { inTestAll } from '@fair-bench/contract/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEarlyPostgresProxy } from './liars/early-postgres-proxy.ts';
import type { LyingServer } from './liars/early-rpc-server.ts';
import { LiarBench } from './support/liar-bench.ts';
import { startPostgresProxy } from '../src/test-support/postgres-proxy.ts';

const driver = 'postgres-driver';
const unbounded = Number.POSITIVE_INFINITY;
let bench: LiarBench;

beforeAll(async () => {
  bench = await LiarBench.open(driver);
});
afterAll(() => bench.close());

/** What the rehearsal says through a proxy on the database's own protocol; null where it passes. */
async function accusation(backlogMax: number, byUrl: boolean): Promise<string | null> {
  const { url } = bench.deployment(driver).endpoint;
  return await saidThrough(await startEarlyPostgresProxy(url, backlogMax), byUrl);
}

async function saidThrough(proxy: LyingServer, byUrl: boolean): Promise<string | null> {
  const deployment = bench.deployment(driver);
  const endpoint = { ...deployment.endpoint, url: proxy.url };
  try {
    await bench.rehearse(driver, { ...deployment, endpoint }, byUrl);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await proxy.close();
  }
}

test('a proxy that acknowledges early is one of the suspects, each with what tells it apart', async () => {
  const message = await accusation(unbounded, true);
  expect(message).toContain('postgres-driver: ');
  expect(message).toContain('Any of these can have caused it:');
  expect(message).toMatch(
    /- the binding \S+postgres\S*, or the description beside it: .*`npm run test:only -- \S+connector-postgres`/,
  );
  expect(message).toMatch(/- the client library: if /);
  expect(message).toMatch(
    /- a proxy or pooler at the URL: if a run with the URL of the server itself passes/,
  );
  expect(message).toMatch(/- the server at the URL: if /);
  expect(message).not.toContain('correct it');
});

inTestAll(() => {
  test('no proxy is accused where this run started the server', async () => {
    const message = await accusation(unbounded, false);
    expect(message).toContain('- the server: if every route to it fails');
    expect(message).not.toContain('proxy');
  });
});

test('the same proxy without a backlog passes', async () => {
  expect(await accusation(0, true)).toBeNull();
});

inTestAll(() => {
  test('a server that never answers ends the rehearsal, and is said to', async () => {
    const { url } = bench.deployment(driver).endpoint;
    const begun = performance.now();
    expect(await saidThrough(await startSilentDouble(url), true)).toMatch(
      /postgres-driver: (operation transfer: no answer within 10 s|.*cannot use it)/,
    );
    expect(performance.now() - begun).toBeLessThan(40_000);
  }, 60_000);
});

/** Forwards what connects and prepares; a call, and everything after it, is swallowed. */
async function startSilentDouble(url: string): Promise<LyingServer> {
  return await startPostgresProxy(url, (client, database) => {
    let isSilent = false;
    client.on('data', (chunk: Buffer) => {
      isSilent ||= chunk[0] === 'B'.charCodeAt(0);
      if (!isSilent) database.write(chunk);
    });
    database.on('data', (chunk: Buffer) => client.write(chunk));
    client.on('close', () => database.destroy());
    database.on('close', () => client.destroy());
  });
}
