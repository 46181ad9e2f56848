import type { Socket } from 'node:net';
import { startPostgresProxy } from '../../src/test-support/postgres-proxy.ts';
import type { LyingServer } from './early-rpc-server.ts';

/**
 * A proxy on PostgreSQL's own protocol that forwards everything in order, and answers a call of a prepared statement
 * at once with the reply to the first such call; the server's own reply is dropped.
 */
export async function startEarlyPostgresProxy(url: string, backlogMax: number): Promise<LyingServer> {
  return await startPostgresProxy(url, (client, database) =>
    new EarlyConnection(client, backlogMax, null).join(database),
  );
}

/**
 * One that everything goes through, whoever asks: connections that do not transfer wait until all is done that was
 * acknowledged early before they asked, so that none of them ever sees it undone.
 */
export async function startHidingPostgresProxy(url: string, backlogMax: number): Promise<LyingServer> {
  const undone = new Set<Promise<void>>();
  return await startPostgresProxy(url, (client, database) =>
    new EarlyConnection(client, backlogMax, undone).join(database),
  );
}

/** The client's requests that wait for a ReadyForQuery. */
interface Requested {
  readonly isCall: boolean;
  answered: boolean;
  readonly done: PromiseWithResolvers<void>;
}

class EarlyConnection {
  readonly #client: Socket;
  readonly #backlogMax: number;
  readonly #requested: Requested[] = [];
  /** The whole reply to a call, once one was seen. */
  #reply: Buffer | null = null;
  #types = '';
  #parts: Buffer[] = [];

  /** What all connections acknowledged early and is not done; null where nobody waits for it. */
  readonly #undone: Set<Promise<void>> | null;
  #transfers = false;
  #sent: Promise<void> = Promise.resolve();

  constructor(client: Socket, backlogMax: number, undone: Set<Promise<void>> | null) {
    this.#client = client;
    this.#backlogMax = backlogMax;
    this.#undone = undone;
  }

  join(database: Socket): void {
    const client = this.#client;
    const fromClient = new Messages(true);
    const fromDatabase = new Messages(false);
    client.on('data', (chunk: Buffer) => {
      const messages = fromClient.take(chunk);
      this.#transfers ||= messages.some(
        (message) => typeOf(message) === 'P' && message.includes('transfer('),
      );
      if (this.#undone === null || this.#transfers) database.write(chunk);
      else {
        const before = [this.#sent, ...this.#undone];
        this.#sent = Promise.all(before).then(() => void database.write(chunk));
      }
      for (const message of messages) this.#ask(typeOf(message));
    });
    database.on('data', (chunk: Buffer) => {
      for (const message of fromDatabase.take(chunk)) this.#hear(message);
    });
    client.on('end', () => database.end());
    client.on('close', () => setTimeout(() => database.destroy(), 5_000).unref());
    database.on('close', () => client.destroy());
  }

  #ask(type: string): void {
    this.#types += type;
    if (type !== 'S' && type !== 'Q') return;
    const isCall =
      /B.*E/.test(this.#types) && !/[PQ]/.test(this.#types) && (this.#undone === null || this.#transfers);
    this.#types = '';
    this.#requested.push({ isCall, answered: false, done: Promise.withResolvers() });
    this.#answer();
  }

  /** Answers the next requests, in order, while the backlog has room. */
  #answer(): void {
    for (const request of this.#requested.slice(0, this.#backlogMax)) {
      if (request.answered) continue;
      if (!request.isCall || this.#reply === null) return;
      request.answered = true;
      this.#undone?.add(request.done.promise);
      this.#client.write(this.#reply);
    }
  }

  #hear(message: Buffer): void {
    const [request] = this.#requested;
    if (request?.answered !== true) {
      this.#client.write(message);
      if (request?.isCall === true) this.#parts.push(message);
    }
    if (typeOf(message) !== 'Z') return;
    if (request !== undefined) {
      this.#undone?.delete(request.done.promise);
      request.done.resolve();
    }
    if (this.#parts.length > 0) this.#reply ??= Buffer.concat(this.#parts);
    this.#parts = [];
    this.#requested.shift();
    this.#answer();
  }
}

function typeOf(message: Buffer): string {
  return String.fromCharCode(message[0] ?? 0);
}

/** Whole messages of a stream; a client's first one has no type. */
class Messages {
  #rest: Buffer = Buffer.alloc(0);
  #untyped: boolean;

  constructor(startsUntyped: boolean) {
    this.#untyped = startsUntyped;
  }

  take(chunk: Buffer): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const messages: Buffer[] = [];
    for (;;) {
      const typeBytes = this.#untyped ? 0 : 1;
      if (this.#rest.length < typeBytes + 4) return messages;
      const length = typeBytes + this.#rest.readInt32BE(typeBytes);
      if (this.#rest.length < length) return messages;
      if (!this.#untyped) messages.push(this.#rest.subarray(0, length));
      this.#untyped = false;
      this.#rest = this.#rest.subarray(length);
    }
  }
}
