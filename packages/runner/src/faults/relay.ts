import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Endpoint } from '@fair-bench/contract';
import { z } from 'zod';

const mainPath = fileURLToPath(new URL('./relay-main.ts', import.meta.url));
const openedSchema = z.object({ type: z.literal('opened'), port: z.int().min(1) });
const resetSchema = z.object({ type: z.literal('reset'), connections: z.int().min(0) });
const answerMsMax = 5_000;

/** A proxy of ours between the load client and its target, a process of its own: it forwards bytes and knows no protocol. */
export class Relay implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #endpoint: Endpoint;

  private constructor(relay: ChildProcess, endpoint: Endpoint) {
    this.#process = relay;
    this.#endpoint = endpoint;
  }

  /**
   * Listens on a free port of `host`, and forwards to where the endpoint is.
   * @throws Error for an endpoint that is not reached by TCP.
   */
  static async open(endpoint: Endpoint, host = '127.0.0.1'): Promise<Relay> {
    const upstream = addressOf(endpoint);
    if (upstream === null) throw new Error(`${endpoint.url} is not reached by TCP`);
    const relay = fork(mainPath, [], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    relay.send({ type: 'open', host, upstream });
    try {
      const opened = openedSchema.parse(await answerOf(relay));
      return new Relay(relay, through(endpoint, host, opened.port));
    } catch (error) {
      relay.kill('SIGKILL');
      throw error;
    }
  }

  /** The target, reached through it. */
  get endpoint(): Endpoint {
    return this.#endpoint;
  }

  /** Resets every connection on both sides, and says how many there were; new ones are forwarded again. */
  async reset(): Promise<number> {
    this.#process.send({ type: 'reset' });
    return resetSchema.parse(await answerOf(this.#process)).connections;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }
}

async function answerOf(relay: ChildProcess): Promise<unknown> {
  const [answer]: unknown[] = await once(relay, 'message', { signal: AbortSignal.timeout(answerMsMax) });
  return answer;
}

/** The ports of URLs that name none. */
const ports: Readonly<Record<string, number>> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'mysql:': 3306,
  'mariadb:': 3306,
  'redis:': 6379,
  'http:': 80,
  'ws:': 80,
};

/** Where an endpoint is reached by TCP; null where it is not. */
export function addressOf({
  url,
}: Pick<Endpoint, 'url'>): { readonly host: string; readonly port: number } | null {
  if (!URL.canParse(url)) return null;
  const { protocol, hostname, port } = new URL(url);
  const number = port === '' ? ports[protocol] : Number(port);
  if (hostname === '' || number === undefined) return null;
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: number };
}

/** The same endpoint at another address. */
function through({ url, options }: Endpoint, host: string, port: number): Endpoint {
  const moved = new URL(url);
  moved.hostname = host;
  moved.port = String(port);
  // A path that was not there is not added.
  const { href } = moved;
  return { url: href.endsWith('/') && !url.endsWith('/') ? href.slice(0, -1) : href, options };
}
