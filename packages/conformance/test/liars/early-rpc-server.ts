import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { applied } from '@fair-bench/contract';

const aheadMs = 3;

export interface LyingServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * A server of the RPC protocol that answers `applied` after 3 ms, and forwards the operation to the real server at
 * `url` later; without a backlog it is honest.
 */
export async function startEarlyRpcServer(url: string, backlogMax: number): Promise<LyingServer> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const backlog: Promise<unknown>[] = [];
  const forward = async (incoming: IncomingMessage): Promise<{ status: number; body: string }> => {
    const body = await text(incoming);
    const { method, headers } = incoming;
    const outgoing = request(new URL(incoming.url ?? '/', url), {
      method,
      agent,
      headers: {
        'content-type': headers['content-type'] ?? 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    });
    outgoing.end(body);
    const [reply]: IncomingMessage[] = await once(outgoing, 'response');
    return { status: reply?.statusCode ?? 500, body: reply === undefined ? '' : await text(reply) };
  };
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const work = forward(incoming);
    if (incoming.method === 'GET') {
      const { status, body } = await work;
      write(response, status, body);
      return;
    }
    backlog.push(work);
    void work.finally(() => backlog.splice(backlog.indexOf(work), 1)).catch(() => undefined);
    if (backlogMax === 0) await work;
    else if (backlog.length > backlogMax) await backlog[0];
    else await sleep(aheadMs);
    const { kind, retries } = applied;
    write(response, 200, JSON.stringify({ kind, retries }));
  };
  const server = createServer((incoming, response) => void answer(incoming, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the lying server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      await Promise.allSettled(backlog);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      agent.destroy();
    },
  };
}

function write(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
