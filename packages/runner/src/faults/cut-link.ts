import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { messageOf } from '@fair-bench/contract';
import type { LoadClientCommand } from '@fair-bench/load-client';

const run = promisify(execFile);
const stepMsMax = 5_000;
let made = 0;

/**
 * A network namespace with one link to this machine, which can be cut: packets on it are then lost without a word, as by a pulled
 * cable. Both go with the process that holds the namespace, and that ends with this one.
 */
export class CutLink implements AsyncDisposable {
  readonly #holder: ChildProcess;
  readonly #device: string;
  /** This machine's address on the link. */
  readonly host: string;

  private constructor(holder: ChildProcess, device: string, host: string) {
    this.#holder = holder;
    this.#device = device;
    this.host = host;
  }

  /** Rejects with the reason where this process may not make one. */
  static async open(): Promise<CutLink> {
    made += 1;
    // Its input is this process's: it ends with it, however that ends, and takes the link with it. The kernel alone would keep both as
    // long as a connection of the namespace waits for an answer.
    const words = ['--net', '--', 'sh', '-c', 'cat; ip link delete eth0'];
    const holder = spawn('unshare', words, { stdio: ['pipe', 'ignore', 'pipe'], detached: true });
    let said = '';
    holder.stderr.on('data', (text: Buffer) => (said = (said + text.toString()).slice(-500)));
    holder.stdin.on('error', () => undefined);
    const failed = new Promise<string>((resolve) => {
      holder.once('error', (error) => resolve(error.message));
      holder.once('exit', () => resolve(said.trim()));
    });
    const { near, far, device } = namesOf(made);
    const link = new CutLink(holder, device, near);
    try {
      await apart(holder, failed);
      const inside = link.#inside();
      await run('ip', [
        'link',
        'add',
        device,
        'type',
        'veth',
        'peer',
        'name',
        'eth0',
        'netns',
        String(holder.pid),
      ]);
      await run('ip', ['address', 'add', `${near}/30`, 'dev', device]);
      await run('ip', ['link', 'set', device, 'up']);
      await run('nsenter', [...inside, 'ip', 'address', 'add', `${far}/30`, 'dev', 'eth0']);
      await run('nsenter', [...inside, 'ip', 'link', 'set', 'eth0', 'up']);
      return link;
    } catch (error) {
      await link[Symbol.asyncDispose]();
      throw new Error(`no network namespace can be made: ${messageOf(error)}`, { cause: error });
    }
  }

  /** A command that runs another on the far side of the link. The process and its id stay the same. */
  around({ command, arguments: words }: LoadClientCommand): LoadClientCommand {
    return { command: 'nsenter', arguments: [...this.#inside(), command, ...words] };
  }

  async cut(): Promise<void> {
    await run('ip', ['link', 'set', this.#device, 'down']);
  }

  async mend(): Promise<void> {
    await run('ip', ['link', 'set', this.#device, 'up']);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { exitCode, signalCode, pid } = this.#holder;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const ended = once(this.#holder, 'exit');
    this.#holder.stdin?.end();
    await ended;
    // It had no link where making one failed.
    await run('ip', ['link', 'delete', this.#device]).catch(() => undefined);
  }

  #inside(): string[] {
    return [`--net=/proc/${this.#holder.pid}/ns/net`, '--'];
  }
}

/** Resolves when the process is in a namespace of its own. */
async function apart(holder: ChildProcess, failed: Promise<string>): Promise<void> {
  const own = readlinkSync('/proc/self/ns/net');
  const isApart = (): boolean => {
    try {
      return readlinkSync(`/proc/${holder.pid}/ns/net`) !== own;
    } catch {
      // It has ended, which says why, or is not there yet.
      return false;
    }
  };
  let reason: string | null = null;
  void failed.then((why) => (reason = why));
  for (let waitedMs = 0; !isApart(); waitedMs += 10) {
    await sleep(10);
    if (reason !== null) throw new Error(reason);
    if (waitedMs > stepMsMax) throw new Error(`unshare made none within ${stepMsMax} ms`);
  }
}

/** A network of two addresses from those for tests of devices (RFC 2544), and a name for the link, by this process. */
function namesOf(count: number): { readonly near: string; readonly far: string; readonly device: string } {
  const network = (process.pid * 8 + (count % 8)) % 2 ** 15;
  const [third, fourth] = [(network >> 6) & 0xff, (network & 0x3f) * 4];
  const second = 18 + (network >> 14);
  const address = (last: number): string => `198.${second}.${third}.${fourth + last}`;
  return { near: address(1), far: address(2), device: `fb${process.pid.toString(36)}x${count % 1296}` };
}
