import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import {
  type ClientEvent,
  type ClientResult,
  type TrialPlan,
  clientEventSchema,
} from '@fair-bench/results/protocol';
import { Leader, leadAlone } from '../leader.ts';

export interface ObservedClient {
  readonly child: ChildProcessWithoutNullStreams;
  readonly events: readonly ClientEvent[];
  /** Resolves at the first event that matches. */
  event(matches: (event: ClientEvent) => boolean): Promise<void>;
  send(command: unknown): void;
  /** Sends a plan, and leads its trial. */
  lead(plan: TrialPlan): void;
  /** The exit code. */
  readonly ended: Promise<number | null>;
  stderr(): string;
}

/** A load client process and its events, each checked by the schema. */
export function startClient(command: string, args: readonly string[] = []): ObservedClient {
  const child = spawn(command, args);
  const events: ClientEvent[] = [];
  const listeners = new Set<() => void>();
  let answer: (event: ClientEvent) => void = () => {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    const event = clientEventSchema.parse(JSON.parse(line));
    events.push(event);
    answer(event);
    for (const listener of listeners) listener();
  });
  const send = (value: unknown): void => void child.stdin.write(`${JSON.stringify(value)}\n`);
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
    send,
    lead(plan) {
      answer = leadAlone(new Leader(plan), send);
      send({ type: 'plan', plan });
    },
    ended,
    stderr: () => stderr,
  };
}

/** The events so far by their kinds, with the phases that began, without the samples of the warm-up. */
export function namesOf({ events }: ObservedClient): string[] {
  const named = events.filter(({ type }) => type !== 'sample');
  return named.map((event) => (event.type === 'phase' ? `${event.phase} begins` : event.type));
}

/** The result of a client that has ended with one. */
export function resultOf(client: ObservedClient): ClientResult {
  const last = client.events.at(-1);
  if (last?.type !== 'result') throw new Error(`the last event is no result: ${client.stderr()}`);
  return last.result;
}

/** Runs a client through one trial; without a result throws what the client reported. */
export async function runClient(
  command: string,
  plan: TrialPlan,
  args: readonly string[] = [],
): Promise<ClientResult> {
  const client = startClient(command, args);
  client.lead(plan);
  await client.ended;
  return resultOf(client);
}

/** What a client says of a line that is no plan it can carry out: its events, the lines for people, its exit code. */
export async function refusalOf(
  client: ObservedClient,
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
  'window begins',
  'progress',
  'drain begins',
  'result',
];

/**
 * Runs plans with shares of one trial, one process each, and leads them: one `go`, and one window after this many
 * samples of all.
 */
export async function runShares(
  command: string,
  args: readonly string[],
  plans: readonly TrialPlan[],
  samples: number,
): Promise<{ readonly results: ClientResult[]; readonly goUs: number; readonly windowUs: number }> {
  const clients = plans.map((plan) => {
    const client = startClient(command, args);
    client.send({ type: 'plan', plan });
    return client;
  });
  const all = (type: ClientEvent['type'], count: number): Promise<unknown> =>
    Promise.all(
      clients.map((client) => {
        const enough = () => client.events.filter((event) => event.type === type).length >= count;
        return Promise.race([client.event(enough), client.ended]);
      }),
    );
  await all('ready', 1);
  const goUs = inMs(500);
  for (const client of clients) client.send({ type: 'go', atUs: goUs });
  await all('sample', samples);
  const windowUs = inMs(500);
  const { windowMs = 1 } = plans[0]?.timing ?? {};
  for (const client of clients) client.send({ type: 'window', atUs: windowUs, windowMs });
  const results = clients.map(async (client) => {
    await client.ended;
    return resultOf(client);
  });
  return { results: await Promise.all(results), goUs, windowUs };
}

function inMs(ms: number): number {
  return Number(process.hrtime.bigint() / 1000n) + ms * 1000;
}
