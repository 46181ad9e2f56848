import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Between a client and the database. */
interface Proxy {
  readonly url: string;
  close(): Promise<void>;
}

/** A proxy to the PostgreSQL at `url`; `join` forwards between a client and the connection of its own to the database. */
export async function startPostgresProxy(
  url: string,
  join: (client: Socket, database: Socket) => void,
): Promise<Proxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect({ host: hostname, port: Number(port), noDelay: true });
    client.setNoDelay(true);
    join(client, database);
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const proxied = new URL(url);
  proxied.host = `127.0.0.1:${address.port}`;
  return {
    url: proxied.href,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
