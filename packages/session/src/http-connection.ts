import { messageOf } from '@fair-bench/contract';
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectByTls } from 'node:tls';
import { HttpReplies } from './http-replies.ts';

/** One request, until its reply or the end of the connection. */
export interface HttpExchange {
  /** The body is only valid during the call. */
  replied(status: number, body: Buffer): void;
  /** There will be no reply; a request that was not written did not reach the server. */
  lost(reason: string, wasWritten: boolean): void;
}

/** libuv fills it and the reply is read before anything else runs, so all connections of a thread share it. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * One HTTP/1.1 connection for timed requests, pipelined: it writes requests as they come, those of one turn of the
 * event loop together, and gives each reply to the oldest exchange. It never sends anything again, and never
 * reconnects. A reply that is not understood ends it.
 */
export class HttpConnection {
  /** Of the request's `host` header. */
  readonly host: string;
  readonly #socket: Socket;
  readonly #closed: Promise<unknown>;
  readonly #exchanges: HttpExchange[] = [];
  #unwritten = '';
  #unwrittenCount = 0;
  #lostBy: string | null = null;

  private constructor({ protocol, hostname, port, host }: URL) {
    this.host = host;
    const name = hostname.replace(/^\[|\]$/g, '');
    const isEncrypted = protocol === 'https:';
    const options = {
      host: name,
      port: Number(port === '' ? (isEncrypted ? 443 : 80) : port),
      onread: { buffer: readBuffer, callback: this.#read },
    };
    this.#socket = isEncrypted
      ? connectByTls({ ...options, ...(isIP(name) === 0 ? { servername: name } : {}) })
      : connect(options);
    this.#socket.setNoDelay(true);
    this.#socket.on('error', (error) => this.#lose(messageOf(error)));
    this.#socket.on('end', () => this.#lose('the other side closed the connection'));
    this.#closed = new Promise((resolve) => void this.#socket.on('close', resolve));
  }

  /** Connects, by TLS to an https URL. Rejects when that fails or `signal` aborts. */
  static async open(url: string, signal: AbortSignal): Promise<HttpConnection> {
    const parsed = new URL(url);
    const ready = { 'http:': 'connect', 'https:': 'secureConnect' }[parsed.protocol];
    if (ready === undefined) throw new Error(`${url}: the load client speaks http and https`);
    const connection = new HttpConnection(parsed);
    await once(connection.#socket, ready, { signal }).catch(async (error: unknown) => {
      await connection.end();
      throw error;
    });
    return connection;
  }

  get usable(): boolean {
    return this.#lostBy === null;
  }

  /** Sends a whole request. */
  send(request: string, exchange: HttpExchange): void {
    if (this.#lostBy !== null) return exchange.lost(this.#lostBy, false);
    this.#exchanges.push(exchange);
    if (this.#unwrittenCount === 0) process.nextTick(this.#write);
    this.#unwritten += request;
    this.#unwrittenCount += 1;
  }

  /** Outstanding exchanges are lost. Resolves when no handle is left. */
  async end(): Promise<void> {
    this.#lose('the connection was closed');
    await this.#closed;
  }

  readonly #write = (): void => {
    if (this.usable) this.#socket.write(this.#unwritten);
    this.#unwritten = '';
    this.#unwrittenCount = 0;
  };

  readonly #replies = new HttpReplies((status, body, closes) => {
    if (this.#exchanges.length <= this.#unwrittenCount) throw new Error('a reply without a request');
    this.#exchanges[0]?.replied(status, body);
    this.#exchanges.shift();
    if (closes) throw new Error('the other side announced the end of the connection');
  });

  readonly #read = (length: number): boolean => {
    try {
      if (this.usable) this.#replies.read(readBuffer.subarray(0, length));
    } catch (error) {
      this.#lose(messageOf(error));
    }
    return true;
  };

  #lose(reason: string): void {
    if (this.#lostBy !== null) return;
    this.#lostBy = reason;
    this.#socket.destroy();
    const written = this.#exchanges.length - this.#unwrittenCount;
    this.#exchanges.splice(0).forEach((exchange, place) => exchange.lost(reason, place < written));
  }
}
