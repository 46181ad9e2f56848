import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** A load agent as `npm run load-agent` starts it. */
export class AgentProcess {
  readonly name: string;
  readonly #child: ChildProcess;
  #said = '';
  readonly #closed: Promise<unknown>;
  #isClosed = false;

  private constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.#child = child;
    this.#closed = once(child, 'close').then(() => (this.#isClosed = true));
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#said += chunk.toString();
    });
  }

  static async start(
    name: string,
    url: string,
    {
      prefix = [],
      extra = [],
      until = /ready at/,
    }: {
      readonly prefix?: readonly string[];
      readonly extra?: readonly string[];
      readonly until?: RegExp;
    } = {},
  ): Promise<AgentProcess> {
    const words = [
      ...prefix,
      process.execPath,
      main,
      '--nats',
      url,
      '--name',
      name,
      '--client',
      'node',
      ...extra,
    ];
    const [command = '', ...rest] = words;
    const agent = new AgentProcess(name, spawn(command, rest, { stdio: ['ignore', 'ignore', 'pipe'] }));
    await agent.says(until);
    return agent;
  }

  get said(): string {
    return this.#said;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async says(text: RegExp): Promise<void> {
    while (!text.test(this.#said)) {
      if (this.#isClosed) throw new Error(`${this.name} has ended: ${this.#said}`);
      await Promise.race([once(this.#child.stderr ?? this.#child, 'data'), this.#closed]);
    }
  }

  /** Its running load clients. */
  loadClients(): number[] {
    return childrenOf(this.pid);
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill(signal);
    await once(this.#child, 'exit');
  }
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((one) => parentOf(one) === pid);
}

/** 0 when the process is gone. */
function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Expects that these processes end within ten seconds. */
export async function allGone(pids: readonly number[]): Promise<void> {
  for (let left = 100; left > 0 && pids.some(isAlive); left -= 1) await sleep(100);
  expect(pids.filter(isAlive)).toEqual([]);
}

/** Whether a process exists; a zombie does not. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
