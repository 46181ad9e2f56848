import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TrialPlan } from '@fair-bench/results';
import type { LoadClientSource } from './load-client-process.ts';
import { addressOf } from '../probes/round-trip.ts';

/** Requests are delayed this long before they are forwarded, so that none arrives before the client is ready. */
const holdMs = 40;
/** Silence for this long: everything that the client sends without a reply is on the wire. */
const quietMs = 150;
const waitMsMax = 10_000;
const pollMs = 10;

/** The load with which a client shows its depth. */
interface WireProbe {
  readonly loadClient: LoadClientSource;
  /** The trial's operations; they are not executed. */
  readonly plan: TrialPlan;
  readonly signal: AbortSignal;
}

/**
 * How many requests a session has on the wire before the first reply, counted by a proxy between load client and
 * target. Requests are not forwarded, so the target does nothing. The proxy understands no protocol and only compares
 * bytes: a session's k-th request is the same at any depth, so a session that reaches its depth sends more than one
 * of a depth less by one. Each target, client, depth and batch is probed once. Null where no proxy can stand in between, as
 * with a certificate that names its host.
 */
export class WireDepths {
  readonly #seen = new Map<string, Promise<number | null>>();

  async of(target: string, probe: WireProbe): Promise<number | null> {
    const { depth, batch, client } = probe.plan;
    const key = `${target} ${client.kind} ${depth} ${batch}`;
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
  // The smallest depth that sends as much.
  let [below, reached] = [0, depth - 1];
  while (reached - below > 1) {
    const middle = Math.floor((below + reached) / 2);
    if ((await bytesOnWire(probe, middle)) >= all) reached = middle;
    else below = middle;
  }
  return reached;
}

/** The bytes that one session of that depth sends without a reply. */
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
      windowMsMax: waitMsMax,
      drainMs: 1,
      operationMs: waitMsMax,
    },
    canaries: [],
    logPath: null,
  };
  const onEvent = (event: { type: string }): void => {
    if (event.type !== 'ready') return;
    proxy.holdAll();
    ready.resolve();
  };
  await using client = loadClient();
  const ended = client.run(probed, onEvent, AbortSignal.any([signal, stop.signal]));
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

  /** Listens on a local port in place of the URL. */
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

  /** From now on no request is forwarded, including those kept. */
  holdAll(): void {
    this.#passes = false;
  }

  /** The kept bytes once no more arrive. */
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
