import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ProvisionContext, SharedService } from '@fair-bench/contract';
import {
  createSupervisor,
  type DatabaseSystem,
  loneTargetOptions,
  probeServer,
  provideServer,
  type RunSupervisor,
} from '../src/index.ts';

const signal = new AbortController().signal;
let folder: string;
let supervisor: RunSupervisor;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fair-bench-test-'));
  supervisor = createSupervisor({ logDirectory: folder });
  vi.stubEnv('FAIR_BENCH_MYDB_BIN', folder);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await supervisor.stopAll();
  await rm(folder, { recursive: true });
});

/** A server over HTTP that returns its version: started by `mydbd PORT`. */
const script = `#!${process.execPath}
if (process.argv[2] === '--version') console.log('mydbd 3.1.4');
else require('http').createServer((_, reply) => reply.end('3.1.4')).listen(Number(process.argv[2]), '127.0.0.1');
`;

async function installProgram(): Promise<void> {
  await writeFile(join(folder, 'mydbd'), script);
  await chmod(join(folder, 'mydbd'), 0o755);
}

const system = {
  name: 'mydb',
  title: 'MyDB',
  remedy: 'install MyDB',
  majorMin: 3,
  async version(url, bound) {
    return await (await fetch(url, { signal: bound })).text();
  },
  local: {
    programs: ['mydbd'],
    url: (port) => `http://127.0.0.1:${port}`,
    launch: (_program, { port }) => ({ arguments: [String(port)] }),
  },
} satisfies DatabaseSystem;

function contextFor(url?: string): ProvisionContext {
  const services = new Map<string, Promise<SharedService>>();
  return {
    target: 'mydb-driver',
    options: { ...loneTargetOptions, ...(url === undefined ? {} : { url }) },
    supervisor,
    signal,
    async shared(key, start) {
      expect(services.has(key)).toBe(false);
      const service = start();
      services.set(key, service);
      return await service;
    },
  };
}

test('a program on this machine is found, started and reached', async () => {
  await installProgram();
  expect(await probeServer(system, loneTargetOptions)).toEqual({
    available: true,
    provider: 'binary',
    version: '3.1.4',
  });
  const server = await provideServer(system, contextFor());
  expect(server).toMatchObject({ provider: 'binary', processes: [{ role: 'database' }] });
  expect(server.storage.directory).not.toBeNull();
  expect(await system.version(server.url, signal)).toBe('3.1.4');
  await server.check(signal);
  await server.close();
  await expect(server.check(signal)).rejects.toThrow('mydb-driver: its MyDB ended with');
});

test('the server of the user is reached by its URL, and left alone', async () => {
  await using theirs = await httpServer('4.0');
  expect(await probeServer(system, { ...loneTargetOptions, url: theirs.url })).toMatchObject({
    available: true,
    provider: 'url',
    version: '4.0',
  });
  const server = await provideServer(system, contextFor(theirs.url));
  expect(server).toMatchObject({ provider: 'url', processes: [], storage: { directory: null } });
  await server.close();
  await server.check(signal);
});

test('without a server, the reason and the remedy are shown, but no password', async () => {
  vi.stubEnv('FAIR_BENCH_MYDB_BIN', '');
  const missing = 'no MyDB server was found on this machine';
  expect(await probeServer(system, loneTargetOptions)).toEqual({
    available: false,
    reason: missing,
    remedy: 'install MyDB',
  });
  await expect(provideServer(system, contextFor())).rejects.toThrow(`mydb-driver: ${missing}; install MyDB`);
  const refused = await provideServer(system, contextFor('http://me:hush@127.0.0.1:1')).catch(String);
  expect(refused).toMatch(
    /^Error: mydb-driver: MyDB at http:\/\/me:\*\*\*@127.0.0.1:1\/ does not answer: .*; install/,
  );
});

test('a server that is too old is refused, by its URL and by its program', async () => {
  await using theirs = await httpServer('2.9');
  const old = 'MyDB 2.9 at .* is too old; 3.0 or later is needed; install MyDB';
  await expect(provideServer(system, contextFor(theirs.url))).rejects.toThrow(new RegExp(old));
  await installProgram();
  expect(await probeServer({ ...system, majorMin: 4 }, loneTargetOptions)).toMatchObject({
    available: false,
    reason: `MyDB 3.1.4 at ${join(folder, 'mydbd')} is too old; 4.0 or later is needed`,
  });
});

test('targets share a server only where it is started with the same settings, and launch knows no others', async () => {
  await installProgram();
  const keys: string[] = [];
  const launched: unknown[] = [];
  const levelled = {
    ...system,
    local: {
      ...system.local,
      settings: ({ durability }) => ({ sync: durability }),
      launch: (program, place, settings) => {
        launched.push(settings);
        return system.local.launch(program, place);
      },
    },
  } satisfies DatabaseSystem;
  for (const options of [{}, { durability: 'async' }, { poolSize: 3 }] as const) {
    const context = contextFor();
    await provideServer(levelled, {
      ...context,
      options: { ...context.options, ...options },
      shared: async (key, start) => {
        keys.push(key);
        return await start();
      },
    });
  }
  expect(launched).toEqual([{ sync: 'durable' }, { sync: 'async' }, { sync: 'durable' }]);
  expect(keys[0]).toBe(keys[2]);
  expect(keys[0]).not.toBe(keys[1]);
});

test('a program without a version is there, and cannot be used', async () => {
  await writeFile(join(folder, 'mydbd'), '#!/bin/sh\necho mydb\n');
  await chmod(join(folder, 'mydbd'), 0o755);
  expect(await probeServer(system, loneTargetOptions)).toMatchObject({
    available: false,
    isFound: true,
    reason: expect.stringContaining('--version printed "mydb", in which no version was found'),
  });
});

test('a system without a program is only reached by its URL', async () => {
  const { local: _local, ...hosted } = system;
  expect(await probeServer(hosted, loneTargetOptions)).toMatchObject({
    available: false,
    reason: 'MyDB is only reached by its URL',
  });
});

async function httpServer(text: string): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((_request, reply) => reply.end(text));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
