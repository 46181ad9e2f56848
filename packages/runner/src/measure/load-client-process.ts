import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type ClientEvent, clientEventSchema, type TrialPlan, type TrialResult } from '@fair-bench/results';

/** How long a load client may take, beyond what its plan allows, to connect, encode and exit. */
const graceMs = 15_000;
/** After a stop, how long it may take to drain and report before it is killed. */
const stopGraceMs = 2_500;
const standardErrorBytesMax = 16_384;

export interface LoadClientCommand {
  readonly command: string;
  readonly arguments: readonly string[];
}

/** Carries a trial's plan to its load clients, their events and their result back. */
export type LoadCarrier = (
  plan: TrialPlan,
  onEvent: TrialEvents,
  signal: AbortSignal,
  /** Called with the process of a load client on this machine. */
  onStarted?: (pid: number) => void,
) => Promise<TrialResult>;

/** By one load client, a process of this machine. */
export function onThisMachine(client: LoadClientCommand): LoadCarrier {
  return async (plan, ...rest) => await runLoadClient(client, plan, ...rest);
}

export type TrialEvents = (event: Exclude<ClientEvent, { type: 'result' | 'failed' }>) => void;

/**
 * Runs a load client as a process of its own: hands it the plan, passes its events on and resolves with
 * its result. When the signal aborts it stops, and its result is of a shorter window. Rejects
 * with the reason when there is no result. The process is gone when this settles.
 */
async function runLoadClient(
  client: LoadClientCommand,
  plan: TrialPlan,
  onEvent: TrialEvents,
  signal: AbortSignal,
  onStarted: (pid: number) => void = () => {},
): Promise<TrialResult> {
  // A session of its own: Ctrl-C in a terminal reaches the runner alone, which decides what is kept.
  const child = spawn(client.command, [...client.arguments], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  if (child.pid !== undefined) onStarted(child.pid);
  const send = (command: unknown): void => void child.stdin.write(`${JSON.stringify(command)}\n`);
  // A write to a client that has just ended fails; how it ended is what is reported.
  child.stdin.on('error', () => {});
  let standardError = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    standardError = (standardError + chunk).slice(-standardErrorBytesMax);
  });
  const closed = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`could not be started: ${error.message}`));
    child.on('close', (code, name) =>
      resolve(name === null ? `ended with code ${code}` : `ended by ${name}`),
    );
  });
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
    const last = await readEvents(child.stdout, onEvent);
    child.stdin.end();
    const ending = await closed;
    if (last?.type === 'result') return last.result;
    throw new Error(
      `load client: ${last?.type === 'failed' ? last.reason : `${ending}${tail(standardError)}`}`,
    );
  } finally {
    signal.removeEventListener('abort', stop);
    clearTimeout(deadline);
    clearTimeout(stopDeadline);
    kill();
    await closed;
  }
}

/** After so long a trial has no result any more. */
export function allowedMs({ timing }: TrialPlan): number {
  return timing.connectMs + timing.warmupMsMax + timing.windowMs + timing.drainMs + graceMs;
}

type LastEvent = Extract<ClientEvent, { type: 'result' | 'failed' }>;

async function readEvents(output: NodeJS.ReadableStream, onEvent: TrialEvents): Promise<LastEvent | null> {
  let last: LastEvent | null = null;
  for await (const line of createInterface({ input: output, crlfDelay: Infinity })) {
    const event = parseEvent(line);
    if (event.type === 'result' || event.type === 'failed') last = event;
    else onEvent(event);
  }
  return last;
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
