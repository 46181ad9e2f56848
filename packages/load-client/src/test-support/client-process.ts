import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type ClientEvent, type TrialPlan, type TrialResult, clientEventSchema } from '@fair-bench/results';

export interface ClientProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly events: readonly ClientEvent[];
  /** Resolves when an event that matches has come. */
  event(matches: (event: ClientEvent) => boolean): Promise<void>;
  send(command: unknown): void;
  /** The exit code. */
  readonly ended: Promise<number | null>;
  stderr(): string;
}

/** A load client process, its events as they come, each held to the schema. */
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

/** Runs one trial to its result; throws with what the client said when there is none. */
export async function runTrial(command: string, plan: TrialPlan): Promise<TrialResult> {
  const client = startClient(command);
  client.send({ type: 'plan', plan });
  const code = await client.ended;
  const last = client.events.at(-1);
  if (last?.type !== 'result') throw new Error(`exit code ${code}: ${client.stderr()}`);
  return last.result;
}
