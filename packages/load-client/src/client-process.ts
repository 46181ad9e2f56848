import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type ClientCommand, type ClientEvent, clientEventSchema } from '@fair-bench/results/protocol';

/** How a load client is started. */
export interface LoadClientCommand {
  readonly command: string;
  readonly arguments: readonly string[];
}

const standardErrorBytesMax = 16_384;

/** A load client as a process of this machine. It ends with this process, because its standard input ends. */
export class ClientProcess {
  /** How it ended: `ended with code 1`. */
  readonly closed: Promise<string>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterable<string>;
  #standardError = '';

  constructor(client: LoadClientCommand) {
    // Its own session: Ctrl-C in a terminal reaches only the process that started it.
    const child = spawn(client.command, [...client.arguments], { detached: true });
    // Writing to a client that has just ended fails; its end is what gets reported.
    child.stdin.on('error', () => {});
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#standardError = (this.#standardError + chunk).slice(-standardErrorBytesMax);
    });
    this.closed = new Promise((resolve) => {
      child.on('error', (error) => resolve(`could not be started: ${error.message}`));
      child.on('close', (code, name) =>
        resolve(name === null ? `ended with code ${code}` : `ended by ${name}`),
      );
    });
    // Listened to from the start, otherwise the end of a process before its plan would be missed.
    this.#lines = createInterface({ input: child.stdout, crlfDelay: Infinity })[Symbol.asyncIterator]();
    this.#child = child;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The last three lines for people, in one. */
  get saidLast(): string {
    return this.#standardError.trim().split('\n').slice(-3).join(' ');
  }

  send(command: ClientCommand): void {
    this.#child.stdin.write(`${JSON.stringify(command)}\n`);
  }

  /** Until its last event, `result` or `failed`, or its end. Throws for a line that is not an event of the protocol. */
  async *events(): AsyncGenerator<ClientEvent> {
    try {
      for await (const line of this.#lines) {
        const event = eventOf(line);
        yield event;
        if (event.type === 'result' || event.type === 'failed') return;
      }
    } finally {
      // It ends by itself, and not before all that it wrote is read.
      this.#child.stdout.resume();
    }
  }

  /** Ends its standard input, and so the client if it still works. */
  release(): void {
    this.#child.stdin.end();
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

function eventOf(line: string): ClientEvent {
  try {
    return clientEventSchema.parse(JSON.parse(line));
  } catch (cause) {
    throw new Error(`load client: wrote a line that is not an event of the protocol: ${line.slice(0, 120)}`, {
      cause,
    });
  }
}
