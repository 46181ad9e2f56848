import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClusterNode, messageOf, type Route } from '@fair-bench/contract';
import { listenersAt, redactUrl } from '@fair-bench/supervisor';
import { killTrees } from './kill-trees.ts';

const askMsMax = 5_000;
const commandMsMax = 60_000;
const retryMs = 100;
/** What was struck no longer answers within this. */
const struckMsMax = 2_000;
/** One that is there answers within this. */
const answerMs = 500;

/** The user's cluster: the node that sessions reach is found, struck and started again; the others go on. */
export class Cluster {
  readonly #route: Pick<Route, 'name' | 'identify'>;
  readonly #url: string;
  readonly #nodes: readonly ClusterNode[];
  /** Those that were killed, or may have been. */
  readonly #killed = new Set<ClusterNode>();
  #aimed: ClusterNode | null = null;
  #notBack: string | null = null;

  /** @param url the address of its sessions. */
  constructor(route: Pick<Route, 'name' | 'identify'>, url: string, nodes: readonly ClusterNode[]) {
    this.#route = route;
    this.#url = url;
    this.#nodes = nodes;
  }

  /** Finds the node that sessions reach now: what follows is for that one. */
  async aim(): Promise<void> {
    this.#aimed = await this.#reached();
  }

  /** Its process on this machine. Rejects where it runs on another. */
  async running(): Promise<readonly number[]> {
    return [await processOf(await this.#target())];
  }

  /** Kills it; resolves when it no longer answers, and rejects where it goes on. */
  async kill(): Promise<void> {
    const node = await this.#target();
    this.#killed.add(node);
    if (node.kill === null) await killTrees([await processOf(node)]);
    else await this.#run(node, 'kill', node.kill);
    await this.struck();
  }

  /** Resolves when the node that was aimed at does not answer; rejects where it goes on, because something else was struck. */
  async struck(): Promise<void> {
    const node = await this.#target();
    const until = Date.now() + struckMsMax;
    while (await this.#answers(node)) {
      if (Date.now() > until)
        throw new Error(
          `${this.#name(node)} still answers: what was struck is not the server at its address`,
        );
      await sleep(retryMs);
    }
  }

  /** Why a node that was killed did not come back. */
  get notBack(): string | null {
    return this.#notBack;
  }

  /**
   * Starts what was killed, and waits until the address of the sessions leads to a server again, for as long as stated. Resolves with the
   * number of nodes that came back.
   */
  async restart(msMax: number): Promise<number> {
    const killed = [...this.#killed];
    this.#killed.clear();
    const until = Date.now() + msMax;
    let back = 0;
    for (const node of killed) {
      try {
        await this.#run(node, 'restart', node.restart);
        await this.#untilItAnswers(node.url, until);
        back += 1;
      } catch (error) {
        this.#notBack = `${this.#name(node)} did not come back: ${messageOf(error)}`;
      }
    }
    if (killed.length > 0) await this.#untilItAnswers(this.#url, until);
    return back;
  }

  async #target(): Promise<ClusterNode> {
    this.#aimed ??= await this.#reached();
    return this.#aimed;
  }

  async #untilItAnswers(url: string, until: number): Promise<void> {
    for (;;) {
      try {
        await this.#identity(url);
        return;
      } catch (cause) {
        if (Date.now() > until)
          throw new Error(`${redactUrl(url)} does not answer: ${messageOf(cause)}`, { cause });
        await sleep(retryMs);
      }
    }
  }

  async #answers({ url }: ClusterNode): Promise<boolean> {
    return await this.#identity(url, answerMs).then(
      () => true,
      () => false,
    );
  }

  /** The node whose identity the address of the sessions has. */
  async #reached(): Promise<ClusterNode> {
    const reasons: string[] = [];
    const [wanted, ...found] = await Promise.all([
      this.#identity(this.#url),
      ...this.#nodes.map(
        async ({ url }) =>
          await this.#identity(url).catch((error: unknown) => {
            reasons.push(`${redactUrl(url)}: ${messageOf(error)}`);
            return null;
          }),
      ),
    ]);
    const [node, another] = this.#nodes.filter((_, place) => found[place] === wanted);
    if (node !== undefined && another === undefined) return node;
    const names = this.#nodes.map(({ url }) => redactUrl(url)).join(', ');
    const leads = `${this.#route.name}: ${redactUrl(this.#url)} leads to`;
    if (another !== undefined)
      throw new Error(`${leads} what several of its nodes say that they are: ${names}`);
    const why = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`;
    throw new Error(`${leads} none of its nodes ${names}${why}; name each server of the cluster`);
  }

  async #identity(url: string, withinMs = askMsMax): Promise<string> {
    const { name, identify } = this.#route;
    if (identify === undefined) throw new Error(`${name}: it does not say which server an address leads to`);
    return await identify(url, AbortSignal.timeout(withinMs));
  }

  /**
   * Runs a command of the user's in a session of its own, which Ctrl-C does not end. What it starts may go on, with its output. The text
   * of the command is in no message: it may have secrets.
   */
  async #run(node: ClusterNode, word: 'kill' | 'restart', command: string): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'fair-bench-node-'));
    const path = join(folder, 'errors');
    try {
      const errors = await open(path, 'w');
      const child = spawn('sh', ['-c', command], { detached: true, stdio: ['ignore', 'ignore', errors.fd] });
      const signal = AbortSignal.timeout(commandMsMax);
      const code: unknown = await once(child, 'exit', { signal })
        .then(([exit]: unknown[]) => exit)
        .catch(() => `no end within ${commandMsMax / 1_000} s`);
      await errors.close();
      child.unref();
      if (code === 0) return;
      const said = (await readFile(path, 'utf8')).trim().split('\n').at(-1) ?? '';
      throw new Error(`${this.#name(node)}: its ${word} command ended with ${String(code)}: ${said}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  #name({ url }: ClusterNode): string {
    return `${this.#route.name}: node ${redactUrl(url)}`;
  }
}

/** The server at a node's address. Rejects where that is not one process of this machine. */
export async function processOf({ url }: Pick<ClusterNode, 'url'>): Promise<number> {
  const { hostname, port } = new URL(url);
  const address = hostname === 'localhost' ? '127.0.0.1' : hostname;
  const remedy = 'or name a command that kills it: nodes[].kill';
  if (port === '') throw new Error(`${redactUrl(url)} has no port; write it, ${remedy}`);
  const found = /^127(\.\d+){3}$/.test(address) ? await listenersAt(address, Number(port)) : [];
  const [pid, another] = found;
  if (pid === undefined)
    throw new Error(`no process of this machine listens at ${redactUrl(url)}; start it, ${remedy}`);
  if (another !== undefined || pid === 1)
    throw new Error(
      `what listens at ${redactUrl(url)} is not one server alone (${found.join(', ')}); ${remedy.slice(3)}`,
    );
  return pid;
}
