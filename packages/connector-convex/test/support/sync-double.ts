import type { Server } from 'node:http';
import { convexToJson, jsonToConvex, type Value } from 'convex/values';
import { WebSocketServer, type WebSocket } from 'ws';
import { z } from 'zod';

export interface SyncDouble {
  /** Connections that were opened so far. */
  connections(): number;
  /** Mutations that have arrived, in their order, over all connections. */
  mutations(): number;
  /** From now on nothing is sent on the present connections. */
  holdReplies(): void;
  /** Ends the present connections. */
  cut(): void;
  /** The most unanswered mutations of one connection. */
  waitingMax(): number;
}

const messageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('Connect') }),
  z.object({ type: z.literal('Authenticate') }),
  z.object({ type: z.literal('ModifyQuerySet'), newVersion: z.int() }),
  z.object({
    type: z.literal('Mutation'),
    requestId: z.int(),
    udfPath: z.string(),
    args: z.tuple([z.record(z.string(), z.json())]),
  }),
  z.object({ type: z.literal('Event') }),
]);

/** Convex itself gives the mutation up: it ends the connection with this message. */
export class GivenUp extends Error {}

/** Runs a mutation by its name and arguments, and resolves once it is committed. */
export type RunMutation = (path: string, args: Value | undefined) => Promise<Value>;

/**
 * The WebSocket of Convex's sync protocol, for mutations only: those of one connection run one after the other, and
 * each is answered with its result and time, then with a transition past that time.
 */
export function serveSyncDouble(server: Server, run: RunMutation): SyncDouble {
  const sockets = new WebSocketServer({ noServer: true });
  const open = new Set<Connection>();
  let connections = 0;
  let mutations = 0;
  let waitingMax = 0;
  server.on('upgrade', (request, socket, head) => {
    if (!/^\/api\/[^/]+\/sync$/.test(request.url ?? '')) {
      socket.destroy();
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      connections += 1;
      const connection = new Connection(webSocket, run);
      open.add(connection);
      webSocket.on('close', () => open.delete(connection));
      webSocket.on('message', (data: Buffer) => {
        if (connection.receive(data.toString())) mutations += 1;
        waitingMax = Math.max(waitingMax, connection.waiting);
      });
    });
  });
  return {
    connections: () => connections,
    mutations: () => mutations,
    waitingMax: () => waitingMax,
    holdReplies() {
      for (const connection of open) connection.silent = true;
    },
    cut() {
      for (const connection of open) connection.end();
    },
  };
}

const internalErrorCode = 1011;

/** Times of commits: rising over all connections. */
let clock = 0n;

class Connection {
  silent = false;
  waiting = 0;
  readonly #socket: WebSocket;
  readonly #run: RunMutation;
  readonly #version = { querySet: 0, identity: 0, ts: timestamp(0n) };
  #last: Promise<void> = Promise.resolve();

  constructor(socket: WebSocket, run: RunMutation) {
    this.#socket = socket;
    this.#run = run;
  }

  /** Handles a message; true when it is a mutation. */
  receive(text: string): boolean {
    const message = messageSchema.parse(JSON.parse(text));
    if (message.type === 'ModifyQuerySet') this.#transition({ querySet: message.newVersion });
    if (message.type === 'Authenticate') this.#transition({ identity: this.#version.identity + 1 });
    if (message.type !== 'Mutation') return false;
    const { requestId, udfPath, args } = message;
    this.waiting += 1;
    this.#last = this.#last.then(async () => await this.#mutate(requestId, udfPath, jsonToConvex(args[0])));
    return true;
  }

  end(): void {
    this.#socket.terminate();
  }

  async #mutate(requestId: number, path: string, args: Value | undefined): Promise<void> {
    const reply = { type: 'MutationResponse', requestId, logLines: [] };
    try {
      const value = await this.#run(path, args);
      clock += 1n;
      const ts = timestamp(clock);
      this.#send({ ...reply, success: true, result: convexToJson(value), ts });
      this.waiting -= 1;
      this.#transition({ ts });
    } catch (error) {
      this.waiting -= 1;
      if (error instanceof GivenUp) {
        this.#socket.close(internalErrorCode, error.message);
        return;
      }
      this.#send({
        ...reply,
        success: false,
        result: error instanceof Error ? error.message : String(error),
      });
    }
  }

  #transition(change: Partial<{ querySet: number; identity: number; ts: string }>): void {
    const startVersion = { ...this.#version };
    Object.assign(this.#version, change);
    this.#send({ type: 'Transition', startVersion, endVersion: { ...this.#version }, modifications: [] });
  }

  #send(message: unknown): void {
    if (!this.silent && this.#socket.readyState === this.#socket.OPEN)
      this.#socket.send(JSON.stringify(message));
  }
}

/** An unsigned 64-bit integer, little-endian, base64. */
function timestamp(value: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes.toString('base64');
}
