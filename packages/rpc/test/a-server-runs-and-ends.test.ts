import { execFile } from 'node:child_process';
import { chosen } from '@fair-bench/contract/test-support';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { mainPath } from '@fair-bench/rpc-server-null';
import { createSupervisor, type RunSupervisor } from '@fair-bench/supervisor';
import { connectRpc } from '../src/client.ts';
import { rpcEndpoint, runtimeCommand, startRpcServer } from '../src/index.ts';
import { description, shape as workload } from './support.ts';
import { environmentOf, type ServerSettingsInput } from '../src/server/env.ts';

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

const signal = () => AbortSignal.timeout(20_000);

describe.each(chosen(['node', 'bun'] as const, (runtime) => runtime === 'node'))(
  'a server under %s',
  (runtime) => {
    const start = ({ delayMs, ...settings }: Partial<ServerSettingsInput> & { delayMs?: number }) =>
      startRpcServer(supervisor, {
        name: 'server-under-test',
        modulePath: mainPath,
        runtime,
        settings: { ...settings, workload, backend: { delayMs: delayMs ?? 0, description } },
      });

    test('facts name the workers’ runtime and its version', async () => {
      const { runtime: named } = (await (await start({ processes: 2 })).appServer.facts(signal())).appServer;
      const { command } = runtimeCommand(runtime);
      const { stdout } = await promisify(execFile)(command, ['--version'], { timeout: 10_000 });
      const [version = 'none'] = /\d+\.\d+\.\d+/.exec(stdout) ?? [];
      expect(named).toBe(`${runtime} v${version}`);
    });

    test('a session of depth 8 has 8 outstanding requests at the server, and ordered replies', async () => {
      const server = await start({ delayMs: 100 });
      const rows = '[[0,"8"],[1,"8"],[2,"8"]]';
      await server.ask('POST /tables', z.unknown(), signal(), { ask: 'load', table: 0, rows });
      await server.ask('POST /in-flight/reset', z.unknown(), signal());
      const session = await connectRpc(
        { url: server.url, options: {} },
        { index: 0, depth: 8, signal: signal(), workload },
      );
      const transfers = Array.from({ length: 8 }, (_value, index) =>
        session.execute(0, [index === 7 ? 5 : 0, 1, 1n]),
      );
      const outcomes = await Promise.all(transfers);
      await session.close();
      expect(outcomes.map(({ kind }) => kind)).toEqual([
        ...Array.from({ length: 7 }, () => 'applied'),
        'declined',
      ]);
      expect(await server.ask('GET /in-flight', z.unknown(), signal())).toEqual({ now: 0, peak: 8 });
      expect(await server.ask('GET /counters', z.unknown(), signal())).toEqual({
        applied: 7,
        declined: 1,
        faults: 0,
        retries: 0,
      });
    });

    test('a reply does not wait until the client has acknowledged the one before it', async () => {
      const server = await start({ delayMs: 5 });
      const context = { index: 0, depth: 2, signal: signal(), workload };
      // Two operations on one connection.
      const session = await connectRpc(rpcEndpoint(server.url, 'tuned'), context);
      const beside: number[] = [];
      // At first every packet is acknowledged at once.
      for (let pair = 0; pair < 30; pair += 1) {
        const first = session.execute(0, [0, 1, 1n]);
        await sleep(2);
        const startedMs = performance.now();
        await Promise.all([first, session.execute(0, [0, 1, 1n])]);
        beside.push(performance.now() - startedMs);
      }
      await session.close();
      expect(beside.toSorted((a, b) => a - b)[15]).toBeLessThan(30);
    });

    test('connections are distributed evenly over the processes', async () => {
      const server = await start({ processes: 2 });
      const pids = childrenOf(server.pid);
      expect(pids).toHaveLength(2);
      const before = pids.map(socketsOf);
      const sessions = await Promise.all(
        Array.from({ length: 10 }, (_value, index) =>
          connectRpc({ url: server.url, options: {} }, { index, depth: 1, signal: signal(), workload }),
        ),
      );
      expect(pids.map((pid, index) => socketsOf(pid) - (before[index] ?? 0))).toEqual([5, 5]);
      await Promise.all(sessions.map((session) => session.close()));
    });

    test('it ends within a second of the order, with requests outstanding', async () => {
      const server = await start({ processes: 2, delayMs: 30_000 });
      const session = await connectRpc(
        { url: server.url, options: {} },
        { index: 0, depth: 1, signal: signal(), workload },
      );
      const outcome = session.execute(0, [0, 1, 1n]);
      await expect.poll(async () => (await server.appServer.inFlight(signal())).peak).toBe(1);
      const pids = [server.pid, ...childrenOf(server.pid)];
      const startedMs = performance.now();
      await server.appServer.close();
      expect(performance.now() - startedMs).toBeLessThan(1_900);
      await expect(outcome).resolves.toMatchObject({ kind: 'fault', code: 'connection-lost', inDoubt: true });
      expect(pids.filter(isAlive)).toEqual([]);
      await session.close();
    });

    test('the workers end with the primary, however it ends', async () => {
      const server = await start({ processes: 2 });
      const workers = childrenOf(server.pid);
      expect(workers).toHaveLength(2);
      process.kill(server.pid, 'SIGKILL');
      await expect.poll(() => workers.filter(isAlive), { timeout: 5_000 }).toEqual([]);
    });

    test('the server ends when one of its workers is lost', async () => {
      const server = await start({ processes: 2 });
      const [worker = 0] = childrenOf(server.pid);
      process.kill(worker, 'SIGKILL');
      // Its end is reported a moment after its process is gone.
      const check = () => server.appServer.check(signal()).then(() => 'runs', String);
      await expect.poll(check, { timeout: 5_000 }).toContain('exit code 1');
      expect(isAlive(server.pid)).toBe(false);
    });

    test('invalid settings end it before it listens, and the setting is named', async () => {
      const environment = environmentOf({ workload, backend: { delayMs: -1, description } });
      const { command, arguments: words } = runtimeCommand(runtime);
      const ended = promisify(execFile)(command, [...words, mainPath], {
        env: environment,
        cwd: dirname(mainPath),
        timeout: 10_000,
      });
      await expect(ended).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('delayMs') });
    });
  },
);

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

function socketsOf(pid: number): number {
  const directory = `/proc/${pid}/fd`;
  const links = readdirSync(directory).map((fd) => {
    try {
      return readlinkSync(join(directory, fd));
    } catch {
      return 'closed while it was read';
    }
  });
  return links.filter((link) => link.startsWith('socket:')).length;
}

function isAlive(pid: number): boolean {
  try {
    const state = /\) (.)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
    return state !== 'Z';
  } catch {
    return false;
  }
}
