import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type ClientEvent, clientEventSchema, type TrialPlan, type TrialResult } from '@fair-bench/results';

/** The time that a load client has beyond its plan to connect, encode and exit. */
const graceMs = 15_000;
/** After a stop, the time that it has to drain and report before it is killed. */
const stopGraceMs = 2_500;
const standardErrorBytesMax = 16_384;

export interface LoadClientCommand {
  readonly command: string;
  readonly arguments: readonly string[];
}

/** The load clients of one trial, here or elsewhere: started, and waiting for the plan. */
export interface ReadyClient extends AsyncDisposable {
  /** The load client's process, if it is on this machine. */
  readonly pid?: number | undefined;
  carry(plan: TrialPlan, onEvent: TrialEvents, signal: AbortSignal): Promise<TrialResult>;
}

/**
 * Starts the load clients of a trial. Starting a process takes as long as filling a table, so both happen at the same
 * time.
 */
export type LoadCarrier = () => ReadyClient;

export type TrialEvents = (event: Exclude<ClientEvent, { type: 'result' | 'failed' }>) => void;

/** By one load client, a process of this machine. */
export function onThisMachine(client: LoadClientCommand): LoadCarrier {
  return () => new LoadClientProcess(client);
}

/** The load clients of a run on this machine. The next one may start before its trial. */
export class LoadProcesses implements AsyncDisposable {
  #next: { readonly key: string; readonly process: LoadClientProcess } | null = null;

  /** Takes the load client that was started for such a trial, if it still runs; otherwise starts one. */
  carrier(client: LoadClientCommand): LoadCarrier {
    return () => {
      const next = this.#next;
      this.#next = null;
      if (next?.key === JSON.stringify(client) && next.process.isAlive) return next.process;
      void next?.process[Symbol.asyncDispose]();
      return new LoadClientProcess(client);
    };
  }

  /**
   * Starts the load client of the next trial: once nothing is timed any more, and before the audit. Never throws into
   * the trial that has just been measured: a failure is the next trial's, which starts its own.
   */
  startNext(client: LoadClientCommand): void {
    try {
      this.#next ??= { key: JSON.stringify(client), process: new LoadClientProcess(client) };
    } catch {
      // Out of processes or files, for example; its own trial tries again and reports the error.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#next?.process[Symbol.asyncDispose]();
  }
}

class LoadClientProcess implements ReadyClient {
  readonly #child: ChildProcessWithoutNullStreams;
  /** How it ended. */
  readonly #closed: Promise<string>;
  readonly #lines: AsyncIterable<string>;
  #standardError = '';

  constructor(client: LoadClientCommand) {
    // Its own session: Ctrl-C in a terminal reaches only the runner, which decides what is kept.
    const child = spawn(client.command, [...client.arguments], {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    // Writing to a client that has just ended fails; its end is what gets reported.
    child.stdin.on('error', () => {});
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#standardError = (this.#standardError + chunk).slice(-standardErrorBytesMax);
    });
    this.#closed = new Promise((resolve) => {
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

  /**
   * Sends the plan, forwards its events and resolves with its result. When the signal aborts, it stops, and the
   * result covers a shorter window. Rejects with the reason when there is no result.
   */
  async carry(plan: TrialPlan, onEvent: TrialEvents, signal: AbortSignal): Promise<TrialResult> {
    const child = this.#child;
    const send = (command: unknown): void => void child.stdin.write(`${JSON.stringify(command)}\n`);
    const kill = (): void => void child.kill('SIGKILL');
    const deadline = setTimeout(kill, allowedMs(plan));
    let stopDeadline: NodeJS.Timeout | undefined;
    const stop = (): void => {
      send({ type: 'stop' });
      stopDeadline = setTimeout(kill, stopGraceMs);
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      send({ type: 'plan', plan });
      if (signal.aborted) stop();
      const last = await readEvents(this.#lines, onEvent);
      // It ends while its work is audited, and not before all that it wrote is read.
      child.stdout.resume();
      if (last?.type === 'result') return last.result;
      child.stdin.end();
      const ending = await this.#closed;
      throw new Error(
        `load client: ${last?.type === 'failed' ? last.reason : `${ending}${tail(this.#standardError)}`}`,
      );
    } finally {
      signal.removeEventListener('abort', stop);
      clearTimeout(deadline);
      clearTimeout(stopDeadline);
    }
  }

  /** The process is gone when this settles. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#closed;
  }
}

/** After this long a trial can no longer have a result. */
export function allowedMs({ timing }: Pick<TrialPlan, 'timing'>): number {
  return timing.connectMs + timing.warmupMsMax + timing.windowMsMax + timing.drainMs + graceMs;
}

type LastEvent = Extract<ClientEvent, { type: 'result' | 'failed' }>;

async function readEvents(lines: AsyncIterable<string>, onEvent: TrialEvents): Promise<LastEvent | null> {
  for await (const line of lines) {
    const event = parseEvent(line);
    if (event.type === 'result' || event.type === 'failed') return event;
    onEvent(event);
  }
  return null;
}

function parseEvent(line: string): ClientEvent {
  try {
    return clientEventSchema.parse(JSON.parse(line));
  } catch (error) {
    const start = line.slice(0, 120);
    throw new Error(`load client: wrote a line that is not an event of the protocol: ${start}`, {
      cause: error,
    });
  }
}

function tail(text: string): string {
  const lines = text.trim().split('\n').slice(-3).join(' ');
  return lines === '' ? '' : `: ${lines}`;
}
