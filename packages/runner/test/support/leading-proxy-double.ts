import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const lookMs = 50;

/** A double of what stands before a cluster: it leads new connections to the server that leads, and to the next once that one is gone. */
export class LeadingProxyDouble implements AsyncDisposable {
  readonly #ports: readonly number[];
  readonly #promote: (port: number) => Promise<void>;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #ended = new AbortController();
  readonly #watching: Promise<void>;
  #leading = 0;

  private constructor(
    ports: readonly number[],
    promote: (port: number) => Promise<void>,
    serverOf: (port: () => number, sockets: Set<Socket>) => Server,
  ) {
    this.#ports = ports;
    this.#promote = promote;
    this.#server = serverOf(() => this.#leader, this.#sockets);
    this.#watching = this.#watch();
  }

  /** @param promote makes the server at a port the leader, once no other leads. */
  static async open(
    ports: readonly number[],
    promote: (port: number) => Promise<void>,
  ): Promise<LeadingProxyDouble> {
    const proxy = new LeadingProxyDouble(ports, promote, forwarding);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return address.port;
  }

  /** How often the leader was followed by the next. */
  get failovers(): number {
    return this.#leading;
  }

  get #leader(): number {
    const port = this.#ports[this.#leading];
    if (port === undefined) throw new Error('no server is left to lead');
    return port;
  }

  async #watch(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      await sleep(lookMs);
      if (this.#leading + 1 >= this.#ports.length || (await isOpen(this.#leader))) continue;
      const next = this.#ports[this.#leading + 1];
      if (next !== undefined) await this.#promote(next).catch(() => undefined);
      this.#leading += 1;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await this.#watching;
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

function forwarding(port: () => number, sockets: Set<Socket>): Server {
  return createServer((client) => {
    const database = connect({ host: '127.0.0.1', port: port(), noDelay: true });
    client.setNoDelay(true).pipe(database).pipe(client);
    for (const socket of [client, database]) {
      sockets.add(socket);
      const end = (): void => {
        client.destroy();
        database.destroy();
        sockets.delete(socket);
      };
      socket.on('error', end).on('close', end);
    }
  });
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
