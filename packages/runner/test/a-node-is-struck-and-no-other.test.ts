import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@fair-bench/supervisor';
import { afterEach, describe, expect, test } from 'vitest';
import { Cluster, processOf } from '../src/durability/cluster.ts';

/** A double of a server: it says its name to whoever connects. */
const script = (name: string, address: string, port: number): string =>
  `require('net').createServer((s) => s.on('error', () => {}).end('${name}')).listen(${port}, '${address}', () => console.log('up'))`;

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

async function start(name: string, address: string, port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', script(name, address, port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  await once(child.stdout, 'data');
  return child;
}

const route = {
  name: 'double',
  async identify(url: string, signal: AbortSignal): Promise<string> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), signal });
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(socket, 'close', { signal });
    if (text === '') throw new Error('it says nothing');
    return text;
  },
};

const isGone = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;
const at = (address: string, port: number): string => `double://u:5ecret@${address}:${port}/d`;

describe.skipIf(process.platform !== 'linux')('a cluster of doubles', () => {
  test('is struck at the node that its address leads to, and not at what has the same port elsewhere', async () => {
    const port = await freePort();
    const follower = await start('follower', '127.0.0.1', port);
    const leader = await start('leader', '127.0.0.2', port);
    const proxyPort = await freePort();
    const proxy = await start('leader', '127.0.0.1', proxyPort);
    const nodes = ['127.0.0.1', '127.0.0.2'].map((address) => ({
      url: at(address, port),
      restart: 'true',
      kill: null,
    }));
    const cluster = new Cluster(route, at('127.0.0.1', proxyPort), nodes);
    await cluster.aim();
    expect(await cluster.running()).toEqual([leader.pid]);
    await cluster.kill();
    if (!isGone(leader)) await once(leader, 'exit');
    expect([leader, follower, proxy].map(isGone)).toEqual([true, false, false]);
  });

  test('is not said to be struck where the command killed nothing', async () => {
    const port = await freePort();
    await start('only', '127.0.0.1', port);
    const cluster = new Cluster(route, at('127.0.0.1', port), [
      { url: at('127.0.0.1', port), restart: 'true', kill: 'true' },
    ]);
    await expect(cluster.kill()).rejects.toThrow(/node double:\/\/u:\*+@127.0.0.1:\d+\/d still answers/);
  });

  test('is not struck where several nodes say that they are the same, or none is it', async () => {
    const [one, two] = [await freePort(), await freePort()];
    for (const port of [one, two]) await start('same', '127.0.0.1', port);
    const node = (port: number) => ({ url: at('127.0.0.1', port), restart: 'true', kill: null });
    const url = at('127.0.0.1', one);
    await expect(new Cluster(route, url, [node(one), node(two)]).aim()).rejects.toThrow(
      /several of its nodes/,
    );
    const closed = await freePort();
    await expect(new Cluster(route, url, [node(closed)]).aim()).rejects.toThrow(
      /leads to none of its nodes double:\/\/u:\*+@\S+ \(double:\/\/u:\*+@\S+: .*ECONNREFUSED.*\); name each server/,
    );
  });

  test('says which node did not come back, and not by which command', async () => {
    const [first, second] = [await freePort(), await freePort()];
    const leader = await start('leader', '127.0.0.1', first);
    await start('next', '127.0.0.1', second);
    const restart = 'SECRET=5ecret; echo "no data" >&2; exit 3';
    let address = at('127.0.0.1', first);
    const moving = {
      ...route,
      identify: async (url: string, signal: AbortSignal) =>
        await route.identify(url === 'double://vip:1' ? address : url, signal),
    };
    const cluster = new Cluster(moving, 'double://vip:1', [
      { url: at('127.0.0.1', first), restart, kill: `kill -KILL ${leader.pid}` },
      { url: at('127.0.0.1', second), restart, kill: null },
    ]);
    await cluster.kill();
    address = at('127.0.0.1', second);
    expect(await cluster.restart(10_000)).toBe(0);
    expect(cluster.notBack).toMatch(/did not come back: .*its restart command ended with 3: no data$/);
    expect(cluster.notBack).not.toContain('5ecret');
  });

  test('comes back by a command that starts a server and leaves it its output', async () => {
    const port = await freePort();
    const leader = await start('leader', '127.0.0.1', port);
    const again = script('again', '127.0.0.1', port).replaceAll("'", '"');
    const cluster = new Cluster(route, at('127.0.0.1', port), [
      { url: at('127.0.0.1', port), restart: `${process.execPath} -e '${again}' &`, kill: null },
    ]);
    await cluster.kill();
    if (!isGone(leader)) await once(leader, 'exit');
    const begun = performance.now();
    expect(await cluster.restart(20_000)).toBe(1);
    expect(performance.now() - begun).toBeLessThan(20_000);
    process.kill(await processOf({ url: at('127.0.0.1', port) }), 'SIGKILL');
    await sleep(10);
  });
});
