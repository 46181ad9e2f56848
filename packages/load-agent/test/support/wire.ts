import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Operations of a session that are compared. */
const operationsEach = 20;

/** A wire to a server: records what is sent over each connection, and can be cut. */
export class Wire {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  readonly #sent: Buffer[][];

  private constructor(server: Server, port: number, sockets: Set<Socket>, sent: Buffer[][]) {
    this.#server = server;
    this.port = port;
    this.#sockets = sockets;
    this.#sent = sent;
  }

  /** Listens at `host` and forwards to a server of this machine. */
  static async to(port: number, host = '127.0.0.1'): Promise<Wire> {
    const sockets = new Set<Socket>();
    const sent: Buffer[][] = [];
    const server = createServer((client) => {
      const bytes: Buffer[] = [];
      sent.push(bytes);
      client.on('data', (chunk) => bytes.push(Buffer.from(chunk)));
      const upstream = connect(port, '127.0.0.1');
      client.pipe(upstream).pipe(client);
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.on('error', () => client.destroy() && upstream.destroy());
        socket.on('close', () => sockets.delete(socket));
      }
    });
    server.listen(0, host);
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the wire has no port');
    return new Wire(server, address.port, sockets, sent);
  }

  /** Ends every connection; new ones are accepted. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The first operations of each session since the last call: the bodies of its connection's requests. */
  takeStreams(): string[] {
    return this.#sent
      .splice(0)
      .map((bytes) => bodiesOf(Buffer.concat(bytes).toString('latin1')))
      .filter((bodies) => bodies.length >= operationsEach)
      .map((bodies) => bodies.slice(0, operationsEach).join('\n'))
      .sort();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }
}

function bodiesOf(text: string): string[] {
  return text
    .split(/POST [^\r]*\r\n/)
    .slice(1)
    .map((request) => request.slice(request.indexOf('\r\n\r\n') + 4));
}
