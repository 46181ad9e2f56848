import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { LyingServer } from './early-rpc-server.ts';

/** Sync, and ReadyForQuery outside of a transaction. */
const sync = 'S\0\0\0\u0004';
const ready = 'Z\0\0\0\u0005I';

/** A double before a pooler that answers a read which it has seen itself. */
export interface CachingPoolerDouble extends LyingServer {
  /** Reads that it answered itself. */
  readonly answered: () => number;
}

/**
 * Forwards PostgreSQL's protocol to the pooler at `url`, one request of a connection at a time, and answers a request
 * with the bytes of one that `isRead` says was a read, until the next write: every reply is right.
 */
export async function startCachingPoolerDouble(
  url: string,
  isRead: (request: string) => boolean,
): Promise<CachingPoolerDouble> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const cache = new Map<string, Buffer>();
  let answered = 0;
  /** Beginnings and ends: a read beside a write is not kept. */
  let writes = 0;
  const server = createServer((client) => {
    const pooler = connect({ host: hostname, port: Number(port), noDelay: true });
    client.setNoDelay(true);
    let request = '';
    let reply: Buffer[] = [];
    let writesBefore = 0;
    /** Requests without a reply yet; with more than one it only forwards. */
    let outstanding = 0;
    let isAlone = true;
    const written = (): void => {
      writes += 1;
      cache.clear();
    };
    client.on('data', (chunk: Buffer) => {
      request = chunk.toString('latin1');
      reply = [];
      const requests = request.split(sync).length - 1;
      isAlone = outstanding === 0 && requests === 1;
      const known = isAlone ? cache.get(request) : undefined;
      if (known !== undefined) {
        answered += 1;
        setImmediate(() => client.write(known));
        return;
      }
      if (!isRead(request)) written();
      writesBefore = writes;
      outstanding += requests;
      pooler.write(chunk);
    });
    pooler.on('data', (chunk: Buffer) => {
      reply.push(chunk);
      client.write(chunk);
      const whole = Buffer.concat(reply);
      outstanding -= chunk.toString('latin1').split(ready).length - 1;
      if (outstanding > 0) return;
      outstanding = 0;
      if (!isRead(request)) written();
      else if (isAlone && writes === writesBefore && whole.toString('latin1').endsWith(ready))
        cache.set(request, whole);
    });
    client.on('end', () => pooler.end());
    client.on('close', () => {
      pooler.destroy();
      sockets.delete(client);
      // The tables may be loaded anew before the next clients come.
      if (sockets.size === 0) cache.clear();
    });
    pooler.on('close', () => client.destroy());
    sockets.add(client);
    for (const socket of [client, pooler]) socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the caching double has no port');
  const doubled = new URL(url);
  doubled.host = `127.0.0.1:${address.port}`;
  return {
    url: doubled.href,
    answered: () => answered,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
