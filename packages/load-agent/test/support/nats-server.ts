import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as openSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@fair-bench/supervisor';

/** The nats-server of this machine; without one (null) the tests that need it are skipped. */
export const natsProgram = ((): string | null => {
  const program = process.env['FAIR_BENCH_NATS_BIN'] ?? 'nats-server';
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return program;
  } catch {
    return null;
  }
})();

/** Of a suite that is skipped without it. */
export const needsNats = {
  meta: { whySkipped: 'nats-server is not on PATH, nor named by FAIR_BENCH_NATS_BIN' },
} as const;

/** A real NATS server with JetStream, which can be killed and restarted on its port. */
export class NatsServer {
  readonly port: number;
  readonly #host: string;
  readonly #folder: string;
  readonly #prefix: readonly string[];
  readonly #extra: readonly string[];
  #child: ChildProcess | null = null;

  private constructor(
    place: { port: number; host: string; folder: string },
    prefix: readonly string[],
    extra: readonly string[],
  ) {
    this.port = place.port;
    this.#host = place.host;
    this.#folder = place.folder;
    this.#prefix = prefix;
    this.#extra = extra;
  }

  /** `prefix` is the command that it is started with, as `ip netns exec n`. */
  static async start(
    host = '127.0.0.1',
    prefix: readonly string[] = [],
    extra: readonly string[] = [],
  ): Promise<NatsServer> {
    const folder = await mkdtemp(join(tmpdir(), 'fair-bench-nats-'));
    const server = new NatsServer({ port: await freePort(), host, folder }, prefix, extra);
    await server.begin();
    return server;
  }

  get url(): string {
    return `nats://${this.#host}:${this.port}`;
  }

  async begin(): Promise<void> {
    const store = ['-js', '-sd', this.#folder, '-a', this.#host, '-p', String(this.port), ...this.#extra];
    const [command = '', ...words] = [...this.#prefix, natsProgram ?? '', ...store];
    this.#child = spawn(command, words, { stdio: 'ignore' });
    while (!(await answers(this.#host, this.port))) await sleep(50);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async close(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Whether somebody listens there. */
export async function answers(host: string, port: number): Promise<boolean> {
  const socket = openSocket(port, host);
  return await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}
