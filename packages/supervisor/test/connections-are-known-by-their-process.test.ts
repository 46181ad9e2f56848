import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { portsTo } from '../src/connections-of.ts';

const isLinux = process.platform === 'linux';
let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  ({ port } = address);
});
afterAll(() => server.close());

test.runIf(isLinux)(
  "a process's connections to a port are those that it and its children have open",
  async () => {
    const own: Socket = connect({ host: '127.0.0.1', port });
    await once(own, 'connect');
    const script = `const s = require('node:net').connect(${port}, '127.0.0.1', () => console.log(s.localPort))`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed] = await once(child.stdout, 'data');
    const ofChild = Number(String(printed));
    try {
      expect(await portsTo(child.pid ?? 0, port)).toEqual(new Set([ofChild]));
      expect(await portsTo(process.pid, port)).toEqual(new Set([own.localPort, ofChild]));
      expect(await portsTo(process.pid, port + 1)).toEqual(new Set());
    } finally {
      child.kill();
      own.destroy();
    }
  },
);

test('of a process that is not there nothing is known', async () => {
  expect(await portsTo(2 ** 30, port)).toEqual(isLinux ? new Set() : null);
});
