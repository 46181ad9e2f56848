import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { messageOf, type Route, type ClusterNode } from '@fair-bench/contract';
import { listenerAt, redactUrl } from '@fair-bench/supervisor';
import { killTrees } from './kill-trees.ts';

const askMsMax = 5_000;
const commandMsMax = 60_000;
const retryMs = 100;

/** The user's cluster: the node that sessions reach is found, killed and started again; the others go on. */
export class Cluster {
  readonly #route: Pick<Route, 'name' | 'identify'>;
  readonly #url: string;
  readonly #nodes: readonly ClusterNode[];
  readonly #killed = new Set<ClusterNode>();
  #notBack: string | null = null;

  /** @param url the address of its sessions. */
  constructor(route: Pick<Route, 'name' | 'identify'>, url: string, nodes: readonly ClusterNode[]) {
    this.#route = route;
    this.#url = url;
    this.#nodes = nodes;
  }

  /** The process of the node that sessions reach now, on this machine. Rejects where it runs on another. */
  async running(): Promise<readonly number[]> {
    return [await processOf(await this.#reached())];
  }

  /** Kills the node that sessions reach now; resolves when it is gone. */
  async kill(): Promise<void> {
    const node = await this.#reached();
    this.#killed.add(node);
    if (node.kill === null) await killTrees([await processOf(node)]);
    else await this.#run(node, node.kill);
  }

  /** Why a node that was killed did not come back. */
  get notBack(): string | null {
    return this.#notBack;
  }

  /** Starts what was killed; resolves with the number of those that answer again, each within so long. */
  async restart(msMax: number): Promise<number> {
    const killed = [...this.#killed];
    this.#killed.clear();
    let back = 0;
    for (const node of killed) {
      try {
        const until = Date.now() + msMax;
        await this.#run(node, node.restart);
        await this.#answers(node, until);
        back += 1;
      } catch (error) {
        this.#notBack = messageOf(error);
      }
    }
    return back;
  }

  async #answers(node: ClusterNode, until: number): Promise<void> {
    for (;;) {
      try {
        await this.#identity(node.url);
        return;
      } catch (cause) {
        if (Date.now() > until)
          throw new Error(`${this.#name(node)} was started again and does not answer: ${messageOf(cause)}`, {
            cause,
          });
        await sleep(retryMs);
      }
    }
  }

  /** The node whose identity the address of the sessions has. A node that does not answer is not it. */
  async #reached(): Promise<ClusterNode> {
    const [wanted, ...found] = await Promise.all([
      this.#identity(this.#url),
      ...this.#nodes.map(async ({ url }) => await this.#identity(url).catch(() => null)),
    ]);
    const node = this.#nodes.find((_, place) => found[place] === wanted);
    if (node !== undefined) return node;
    const names = this.#nodes.map(({ url }) => redactUrl(url)).join(', ');
    throw new Error(
      `${this.#route.name}: ${redactUrl(this.#url)} leads to none of its nodes ${names}; name each server of the cluster`,
    );
  }

  async #identity(url: string): Promise<string> {
    const { name, identify } = this.#route;
    if (identify === undefined) throw new Error(`${name}: it does not say which server an address leads to`);
    return await identify(url, AbortSignal.timeout(askMsMax));
  }

  async #run(node: ClusterNode, command: string): Promise<void> {
    try {
      await promisify(execFile)('sh', ['-c', command], { timeout: commandMsMax });
    } catch (cause) {
      throw new Error(`${this.#name(node)}: ${messageOf(cause)}; its command is "${command}"`, { cause });
    }
  }

  #name({ url }: ClusterNode): string {
    return `${this.#route.name}: node ${redactUrl(url)}`;
  }
}

/** Rejects where no server of this machine listens at its port. */
export async function processOf({ url }: Pick<ClusterNode, 'url'>): Promise<number> {
  const { hostname, port } = new URL(url);
  const pid = /^(localhost|127\..*|\[::1\])$/.test(hostname) ? await listenerAt(Number(port)) : null;
  if (pid !== null) return pid;
  throw new Error(
    `no process of this machine listens at ${redactUrl(url)}; start it, or name a command that kills it: nodes[].kill`,
  );
}
