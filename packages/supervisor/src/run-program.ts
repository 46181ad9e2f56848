import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import type { UserIds } from '@fair-bench/contract';
import { inheritedEnvironment } from './env.ts';
import { sendSignal } from './process-table.ts';
import { describeEnd } from './reaper.ts';

export interface ProgramRun {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly directory?: string;
  readonly user?: UserIds | null;
  readonly environment?: Readonly<Record<string, string>>;
}

const outputCharactersMax = 4_096;

/**
 * Runs a program that ends by itself, such as initdb, with empty standard input; resolves with its standard output.
 * Rejects when it cannot be run, exits with a code other than 0, or takes longer than `timeoutMs`; the error has the
 * end of its output. At a timeout or an abort it is killed with everything that it started.
 */
export async function runProgram(run: ProgramRun): Promise<string> {
  const bounded = AbortSignal.any([run.signal, AbortSignal.timeout(run.timeoutMs)]);
  bounded.throwIfAborted();
  const child = spawn(run.command, [...run.arguments], {
    // Its own group, so that its children end with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: inheritedEnvironment(run.environment ?? {}),
    ...(run.directory === undefined ? {} : { cwd: run.directory }),
    ...run.user,
  });
  const { pid } = child;
  const kill = (): void => void (pid !== undefined && sendSignal(-pid, 'SIGKILL'));
  bounded.addEventListener('abort', kill, { once: true });
  let [standard, both] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    standard += text;
    both += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (both += text));
  const how = await new Promise<string | null>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (code) => resolve(code === 0 ? null : describeEnd(child)));
  });
  bounded.removeEventListener('abort', kill);
  if (how === null) return standard;
  run.signal.throwIfAborted();
  const fact = bounded.aborted ? `did not end in ${run.timeoutMs} ms` : `failed (${how})`;
  throw new Error(`${basename(run.command)} ${fact}: ${both.trim().slice(-outputCharactersMax)}`);
}
