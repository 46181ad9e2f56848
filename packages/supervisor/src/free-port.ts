import { once } from 'node:events';
import { createServer } from 'node:net';

// The kernel may assign a port again as soon as it is closed; then two servers would get the same one.
const handedOut = new Set<number>();

/** A free TCP port on the loopback interface that this process has not received before. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = await anyFreePort();
    if (handedOut.has(port)) continue;
    handedOut.add(port);
    return port;
  }
  throw new Error('supervisor: no unused TCP port on 127.0.0.1 in 100 attempts; end other servers');
}

async function anyFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string')
    throw new Error('supervisor: a TCP server has no port');
  return address.port;
}
