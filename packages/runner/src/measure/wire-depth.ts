import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TrialPlan } from '@fair-bench/results';
import type { LoadCarrier } from './load-client-process.ts';
import { addressOf } from '../probes/round-trip.ts';

/** Requests are delayed so long before they go on, so that none has when the client is heard to be ready. */
const holdMs = 40;
/** Nothing more has come for so long: all that the client sends without a reply is on the wire. */
const quietMs = 150;
const waitMsMax = 10_000;
const pollMs = 10;

/** The load by which a client shows its depth. */
export interface WireProbe {
  readonly loadClient: LoadCarrier;
  /** As the trial's; its load is not carried out. */
  readonly plan: TrialPlan;
  readonly signal: AbortSignal;
}

/**
 * How many requests a session has on the wire before a reply to the first, as a proxy between load client and target counts
 * them. Requests are not passed on, so the target does nothing; what they hold is not understood, only their bytes are
 * compared: a session's k-th operation is the same at any depth, so one that reaches its depth sends more than it does at a
 * depth of one less. Each target, client and depth is probed once. Null where the proxy cannot stand between, as before a
 * certificate that names its host.
 */
export class WireDepths {
  readonly #seen = new Map<string, Promise<number | null>>();

  async of(target: string, probe: WireProbe): Promise<number | null> {
    const { depth, client } = probe.plan;
    const key = `${target} ${client.kind} ${depth}`;
    const seen = this.#seen.get(key) ?? outstandingOnWire(probe).catch(() => null);
    this.#seen.set(key, seen);
    return await seen;
  }
}

async function outstandingOnWire(probe: WireProbe): Promise<number> {
  const { depth } = probe.plan;
  if (depth === 1) return 1;
  const [all, fewer] = await Promise.all([bytesOnWire(probe, depth), bytesOnWire(probe, depth - 1)]);
  if (all > fewer) return depth;
  // The least depth that sends as much.
  let [below, reached] = [0, depth - 1];
  while (reached - below > 1) {
    const middle = Math.floor((below + reached) / 2);
    if ((await bytesOnWire(probe, middle)) >= all) reached = middle;
    else below = middle;
  }
  return reached;
}

/** What one session of that depth sends without a reply, in bytes. */
async function bytesOnWire({ loadClient, plan, signal }: WireProbe, depth: number): Promise<number> {
  const { url } = plan.endpoint;
  await using proxy = await HoldingProxy.before(url);
  const stop = new AbortController();
  const ready = Promise.withResolvers<void>();
  const probed: TrialPlan = {
    ...plan,
    endpoint: { ...plan.endpoint, url: proxy.url },
    sessions: 1,
    threads: 1,
    depth,
    loop: { kind: 'closed' },
    timing: {
      ...plan.timing,
      connectMs: waitMsMax,
      warmupMs: 0,
      warmupMsMax: 0,
      windowMs: waitMsMax,
      drainMs: 1,
      operationMs: waitMsMax,
    },
    canaries: null,
    logPath: null,
  };
  const onEvent = (event: { type: string }): void => {
    if (event.type !== 'ready') return;
    proxy.holdAll();
    ready.resolve();
  };
  await using client = loadClient();
  const ended = client.carry(probed, onEvent, AbortSignal.any([signal, stop.signal]));
  try {
    await Promise.race([ready.promise, ended]);
    const bytes = await proxy.settledBytes();
    if (bytes === 0) throw new Error(`nothing of ${url} passes through a proxy`);
    return bytes;
  } finally {
    proxy.cut();
    stop.abort();
    await ended.catch(() => undefined);
  }
}

class HoldingProxy {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #kept = 0;
  #keptAtMs = 0;
  #passes = true;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  /** Listens on a port of this machine for what is meant for the URL. */
  static async before(target: string): Promise<HoldingProxy> {
    const upstream = addressOf(target);
    if (upstream === null) throw new Error(`${target} names no port`);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('a proxy has no port');
    const url = new URL(target);
    url.hostname = '127.0.0.1';
    url.port = String(address.port);
    const proxy = new HoldingProxy(server, url.href);
    server.on('connection', (client) => proxy.#join(client, connect({ ...upstream, noDelay: true })));
    return proxy;
  }

  /** From now on no request goes on, nor those that are kept. */
  holdAll(): void {
    this.#passes = false;
  }

  /** What is kept once no more comes. */
  async settledBytes(): Promise<number> {
    const endsAtMs = performance.now() + waitMsMax;
    while (this.#kept === 0 || performance.now() - this.#keptAtMs < quietMs) {
      if (performance.now() > endsAtMs) break;
      await sleep(pollMs);
    }
    return this.#kept;
  }

  cut(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket, target: Socket): void {
    for (const socket of [client, target]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.on('data', (chunk: Buffer) => this.#take(chunk, target));
    target.pipe(client);
    client.on('close', () => target.destroy());
  }

  #take(chunk: Buffer, target: Socket): void {
    this.#kept += chunk.length;
    this.#keptAtMs = performance.now();
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#passes) return;
      this.#kept -= chunk.length;
      target.write(chunk);
    }, holdMs);
    this.#timers.add(timer);
  }
}
