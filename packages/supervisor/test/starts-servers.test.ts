import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, mkdtempDisposable, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createSupervisor,
  loneTargetOptions,
  type RunSupervisor,
  runProgram,
  startServer,
} from '../src/index.ts';
import type { ServerPlace, ServerSpecification } from '../src/index.ts';
import { startTimeOf } from '../src/process-table.ts';
import { isGone } from './support/processes.ts';

const signal = new AbortController().signal;
const shell = ['-c'];
let logDirectory: string;
let supervisor: RunSupervisor;

beforeEach(async () => {
  logDirectory = await mkdtemp(join(tmpdir(), 'fair-bench-test-'));
  supervisor = createSupervisor({ logDirectory });
});

afterEach(async () => {
  await supervisor.stopAll();
  await rm(logDirectory, { recursive: true });
});

const start = async (specification: Partial<ServerSpecification> = {}) =>
  await startServer(
    {
      target: 'mydb-driver',
      options: loneTargetOptions,
      supervisor,
      signal,
      shared: async (_key, begin) => await begin(),
    },
    { name: 'mydb', title: 'MyDB', launch: serve, answers: health, ...specification },
  );

/** A server over HTTP that reads its prepared directory and returns its user. */
async function serve({ port, write, run }: ServerPlace) {
  await write('secret', 'prepared');
  await run('/bin/sh', [...shell, 'id -u > made-by']);
  const script =
    `const text = require('fs').readFileSync('secret', 'utf8') + ' ' + process.getuid();` +
    `require('http').createServer((_, reply) => reply.end(text)).listen(${port}, '127.0.0.1')`;
  return { command: process.execPath, arguments: ['-e', script] };
}

/** Whether it is our server that answers. */
async function isPrepared(place: ServerPlace, bound: AbortSignal): Promise<boolean> {
  return (await health(place, bound)).startsWith('prepared');
}

async function health({ port }: ServerPlace, bound: AbortSignal): Promise<string> {
  return await (await fetch(`http://127.0.0.1:${port}`, { signal: bound })).text();
}

test('a server is prepared, answers, and leaves nothing behind', async () => {
  const cleaned: string[] = [];
  const server = await start({
    launch: async (place) => ({
      ...(await serve(place)),
      clean: async () => void cleaned.push(await readFile(join(place.directory, 'secret'), 'utf8')),
    }),
  });
  expect(await health(server.place, signal)).toBe(`prepared ${process.getuid?.()}`);
  expect(server.storage).toMatchObject({ directory: server.place.directory });
  expect(server.storage.fileSystem).not.toBe('unknown');
  expect(server.processes).toEqual([{ role: 'database', pid: server.process.pid }]);
  await server.check(signal);
  await server.close();
  expect(cleaned).toEqual(['prepared']);
  expect(existsSync(server.place.directory)).toBe(false);
  expect(startTimeOf(server.process.pid)).toBeNull();
});

test.runIf(process.getuid?.() === 0)('a server that refuses root runs as another user', async () => {
  // This runtime may lie in a folder that only root may enter.
  await using folder = await mkdtempDisposable(join(tmpdir(), 'fair-bench-runtime-'));
  const command = join(folder.path, 'node');
  await chmod(folder.path, 0o755);
  await copyFile(process.execPath, command);
  const { place } = await start({
    users: ['no-such-user'],
    launch: async (own) => ({ ...(await serve(own)), command }),
  });
  const uid = place.user?.uid;
  expect(uid).toBeGreaterThan(0);
  expect(await health(place, signal)).toBe(`prepared ${uid}`);
  expect(await readFile(join(place.directory, 'made-by'), 'utf8')).toBe(`${uid}\n`);
  expect(await stat(join(place.directory, 'secret'))).toMatchObject({ uid });
});

describe('a server that finds its port taken', () => {
  /** Answers `taken` at a place's port, as a process would that came between the choice and the bind. */
  async function take({ port }: ServerPlace): Promise<void> {
    const taker = createServer((_, reply) => reply.end('taken'));
    taker.listen(port, '127.0.0.1');
    await once(taker, 'listening');
    takers.push(taker);
  }
  const takers: Server[] = [];
  afterEach(() => takers.splice(0).forEach((taker) => taker.close()));

  test('is started again on another, in another directory', async () => {
    const places: ServerPlace[] = [];
    const server = await start({
      launch: async (place) => {
        if (places.push(place) < 3) await take(place);
        return await serve(place);
      },
      answers: isPrepared,
    });
    expect(new Set(places.map(({ port }) => port)).size).toBe(3);
    expect(places.map(({ directory }) => existsSync(directory))).toEqual([false, false, true]);
    expect(server.place.port).toBe(places[2]?.port);
    expect(await health(server.place, signal)).toContain('prepared');
  });

  test('is given up after three ports, with what it said', async () => {
    let starts = 0;
    const starting = start({
      launch: async (place) => {
        starts += 1;
        await take(place);
        return await serve(place);
      },
      answers: isPrepared,
    });
    await expect(starting).rejects.toThrow(/ended before it was ready[^]*EADDRINUSE/);
    expect(starts).toBe(3);
  });
});

test('a check says how the server ended', async () => {
  const server = await start();
  process.kill(server.process.pid, 'SIGKILL');
  await expect(server.check(signal)).rejects.toThrow(
    /^mydb-driver: its MyDB ended with signal SIGKILL; see .*mydb\.log/,
  );
});

test('a failed preparation is an error with the target and its output', async () => {
  const started = start({
    async launch({ run }) {
      await run('/bin/sh', [...shell, 'echo to stdout; echo no space left >&2; exit 3']);
      throw new Error('not reached');
    },
  });
  await expect(started).rejects.toThrow(
    /^mydb-driver: MyDB cannot be started: sh failed \(exit code 3\): to stdout no space left$/,
  );
});

test('a program that takes too long is killed with what it started', async () => {
  const run = { command: '/bin/sh', signal, directory: logDirectory };
  const failure = runProgram({
    ...run,
    arguments: [...shell, 'echo $$ > pid; sleep 60 & wait'],
    timeoutMs: 500,
  });
  await expect(failure).rejects.toThrow(/^sh did not end in 500 ms: /);
  expect(await isGone(Number(await readFile(join(logDirectory, 'pid'), 'utf8')), 2_000)).toBe(true);
  expect(
    await runProgram({ ...run, arguments: [...shell, 'echo out; echo err >&2'], timeoutMs: 5_000 }),
  ).toBe('out\n');
  await expect(
    runProgram({ ...run, command: '/nowhere/initdb', arguments: [], timeoutMs: 500 }),
  ).rejects.toThrow(/^initdb failed \(spawn \/nowhere\/initdb ENOENT\)/);
});
