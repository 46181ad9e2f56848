import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Endpoint } from '@fair-bench/contract';
import { z } from 'zod';

const mainPath = fileURLToPath(new URL('./relay-main.ts', import.meta.url));
const openedSchema = z.object({ type: z.literal('opened'), port: z.int().min(1) });
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

  /** Resets every connection on both sides; new ones are forwarded again. */
  async reset(): Promise<void> {
    this.#process.send({ type: 'reset' });
    await answerOf(this.#process);
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

/** Where an endpoint is reached by TCP; null where it is not. */
export function addressOf({ url }: Endpoint): { readonly host: string; readonly port: number } | null {
  if (!URL.canParse(url)) return null;
  const { hostname, port } = new URL(url);
  return hostname === '' || port === ''
    ? null
    : { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

/** The same endpoint at another address: the first `host:port` of its text is the authority. */
function through({ url, options }: Endpoint, host: string, port: number): Endpoint {
  return { url: url.replace(new URL(url).host, `${host}:${port}`), options };
}
