import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { chmod, mkdir } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { messageOf } from '@fair-bench/contract';
import { prepareForgetfulDisk } from '@fair-bench/native-client';
import { z } from 'zod';
import type { Arrangement, Lack } from './arranged-fault.ts';

const countSchema = z.int().min(0);
const eventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.enum(['mounted', 'settled', 'full', 'free', 'slow', 'stats']) }),
  z.object({ event: z.literal('cut'), files: countSchema, bytes: countSchema, names: countSchema }),
  z.object({ event: z.literal('failed'), reason: z.string() }),
]);
type DiskEvent = z.infer<typeof eventSchema>;
type Forgotten = Omit<Extract<DiskEvent, { event: 'cut' }>, 'event'>;

type Command =
  | { readonly command: 'settle' | 'cut' | 'full' | 'free' }
  | { readonly command: 'slow'; readonly flushMs: number };

const mountMsMax = 10_000;
/** A cut waits for the last handle, a settling for the real disk. */
const commandMsMax = 60_000;

/**
 * A file system of ours over a real directory, which knows what was flushed and can forget the rest, be full, or be slow
 * (native/forgetful-disk). It ends with this process, because its standard input ends.
 */
export class ForgetfulDisk implements AsyncDisposable {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #said: () => string;
  /** Where it is mounted. */
  readonly directory: string;

  private constructor(disk: ChildProcessWithoutNullStreams, directory: string) {
    this.#process = disk;
    this.directory = directory;
    this.#lines = createInterface({ input: disk.stdout })[Symbol.asyncIterator]();
    let said = '';
    disk.stderr.on('data', (text: Buffer) => (said = (said + text.toString()).slice(-1_000)));
    disk.stdin.on('error', () => undefined);
    this.#said = () => said.trim();
  }

  /** Builds the program where that is due, and mounts it. Rejects with the reason where that is not possible. */
  static async mount(arrangement: Omit<Arrangement, 'fault'>): Promise<ForgetfulDisk> {
    const program = await prepareForgetfulDisk(arrangement);
    if (!program.available) throw new Error(`${program.reason}; ${program.remedy}`);
    const parent = await arrangement.directory('disk');
    const [backing, mounted] = [join(parent, 'backing'), join(parent, 'mounted')];
    await mkdir(backing, { mode: 0o700 });
    // Servers run as a user of their own.
    await chmod(parent, 0o755);
    await mkdir(mounted);
    // Its own session: Ctrl-C in a terminal reaches only the process that started it.
    const disk = new ForgetfulDisk(spawn(program.command, [backing, mounted], { detached: true }), mounted);
    try {
      await disk.#answer(mountMsMax);
      return disk;
    } catch (error) {
      await disk[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Everything that is there is durable from now on. */
  async settle(): Promise<void> {
    await this.#order({ command: 'settle' });
  }

  /** The power fails and comes back: no process may have a file open. */
  async cut(): Promise<Forgotten> {
    const answer = await this.#order({ command: 'cut' });
    if (answer.event !== 'cut') throw new Error(`the disk that forgets answered ${answer.event} to a cut`);
    const { files, bytes, names } = answer;
    return { files, bytes, names };
  }

  /** Whether nothing more may be allocated. */
  async fill(isFull: boolean): Promise<void> {
    await this.#order({ command: isFull ? 'full' : 'free' });
  }

  /** So much longer each flush takes. */
  async slow(flushMs: number): Promise<void> {
    await this.#order({ command: 'slow', flushMs });
  }

  /** Nothing is mounted when this settles. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.stdin.end();
    await ended;
  }

  async #order(command: Command): Promise<DiskEvent> {
    this.#process.stdin.write(`${JSON.stringify(command)}\n`);
    return await this.#answer(commandMsMax);
  }

  async #answer(withinMs: number): Promise<DiskEvent> {
    const late = once(AbortSignal.timeout(withinMs), 'abort');
    const line = await Promise.race([this.#lines.next(), late.then(() => null)]);
    if (line === null || line.done === true) {
      const why = line === null ? `it did not answer within ${withinMs / 1_000} s` : this.#said();
      throw new Error(`the disk that forgets: ${why}`);
    }
    const event = eventSchema.parse(JSON.parse(line.value));
    if (event.event === 'failed') throw new Error(`the disk that forgets: ${event.reason}`);
    return event;
  }
}

/** Why none can be mounted here; null where one can. */
export async function lackOfDisk(arrangement: Omit<Arrangement, 'fault'>): Promise<Lack | null> {
  try {
    await using _ = await ForgetfulDisk.mount(arrangement);
    return null;
  } catch (error) {
    arrangement.signal.throwIfAborted();
    return {
      reason: messageOf(error),
      remedy: 'run as root on Linux with /dev/fuse and Rust (https://rustup.rs), or choose kill',
    };
  }
}
