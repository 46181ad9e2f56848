import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import {
  type ClientEvent,
  type TrialPlan,
  type TrialResult,
  clientEventSchema,
} from '@fair-bench/results/protocol';

export interface ClientProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly events: readonly ClientEvent[];
  /** Resolves at the first event that matches. */
  event(matches: (event: ClientEvent) => boolean): Promise<void>;
  send(command: unknown): void;
  /** The exit code. */
  readonly ended: Promise<number | null>;
  stderr(): string;
}

/** A load client process and its events, each checked by the schema. */
export function startClient(command: string, args: readonly string[] = []): ClientProcess {
  const child = spawn(command, args);
  const events: ClientEvent[] = [];
  const listeners = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    events.push(clientEventSchema.parse(JSON.parse(line)));
    for (const listener of listeners) listener();
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  // A client that has ended reads nothing more.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', (code) => resolve(code));
  });
  return {
    child,
    events,
    event: (matches) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!events.some(matches)) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
      }),
    send: (value) => void child.stdin.write(`${JSON.stringify(value)}\n`),
    ended,
    stderr: () => stderr,
  };
}

/** The events so far by their kinds, with the phases that began. */
export function namesOf({ events }: ClientProcess): string[] {
  return events.map((event) => (event.type === 'phase' ? `${event.phase} begins` : event.type));
}

/** The result of a client that has ended with one. */
export function resultOf(client: ClientProcess): TrialResult {
  const last = client.events.at(-1);
  if (last?.type !== 'result') throw new Error(`the last event is no result: ${client.stderr()}`);
  return last.result;
}

/** Runs one trial to its result; without one throws what the client reported. */
export async function runTrial(
  command: string,
  plan: TrialPlan,
  args: readonly string[] = [],
): Promise<TrialResult> {
  const client = startClient(command, args);
  client.send({ type: 'plan', plan });
  await client.ended;
  return resultOf(client);
}

/** What a client says of a line that is no plan it can carry out: its events, the lines for people, its exit code. */
export async function refusalOf(
  client: ClientProcess,
  line: string,
): Promise<{
  readonly code: number | null;
  readonly events: readonly ClientEvent[];
  readonly said: string[];
}> {
  client.child.stdin.write(`${line}\n`);
  const code = await client.ended;
  return { code, events: client.events, said: client.stderr().trim().split('\n') };
}

/** One failed event and one line for people, which say why, and exit code 2. */
export function refusedFor(reason: string): unknown {
  const why: unknown = expect.stringContaining(reason);
  return { code: 2, events: [{ type: 'failed', reason: why }], said: [why] };
}

/** The events of a trial with a window of more than a second, in their order. */
export const eventsOfTrial = [
  'ready',
  'warmup begins',
  'window',
  'window begins',
  'progress',
  'drain begins',
  'result',
];

/**
 * Runs plans with shares of one trial, one process each, and leads them: one `go`, and one window after this many
 * slices of all.
 */
export async function runShares(
  command: string,
  args: readonly string[],
  plans: readonly TrialPlan[],
  slices: number,
): Promise<{ readonly results: TrialResult[]; readonly goUs: number; readonly windowUs: number }> {
  const clients = plans.map((plan) => {
    const client = startClient(command, args);
    client.send({ type: 'plan', plan });
    return client;
  });
  const all = (matches: (event: ClientEvent) => boolean): Promise<unknown> =>
    Promise.all(clients.map((client) => Promise.race([client.event(matches), client.ended])));
  await all(({ type }) => type === 'ready');
  const goUs = inMs(500);
  for (const client of clients) client.send({ type: 'go', atUs: goUs });
  await all((event) => event.type === 'slice' && event.slice === slices);
  const windowUs = inMs(500);
  const { windowMs = 1 } = plans[0]?.timing ?? {};
  for (const client of clients) client.send({ type: 'window', atUs: windowUs, windowMs, steady: true });
  const results = clients.map(async (client) => {
    await client.ended;
    return resultOf(client);
  });
  return { results: await Promise.all(results), goUs, windowUs };
}

function inMs(ms: number): number {
  return Number(process.hrtime.bigint() / 1000n) + ms * 1000;
}
