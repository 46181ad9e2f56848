import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessSpecification, SupervisedProcess } from '@fair-bench/contract';
import { inheritedEnvironment } from './env.ts';
import { appendToLog, lastLines, openLog } from './log-file.ts';
import { groupGone, sendSignal } from './process-table.ts';
import { describeEnd } from './reaper.ts';

const outputBytesMax = 64 * 1_024;
const killTimeoutMs = 5_000;
const pollMs = 50;

/**
 * Starts a process in its own session and group, with its output appended to `<logDirectory>/<name>.log`. Returns at
 * once; `awaitReady` waits. Throws when the command cannot be run.
 */
export async function startChild(
  specification: ProcessSpecification,
  logDirectory: string,
): Promise<SupervisedProcess> {
  const { name, command } = specification;
  const logPath = join(logDirectory, `${name}.log`);
  const log = openLog(logPath);
  const child = spawn(command, [...specification.arguments], {
    detached: true,
    stdio: ['ignore', 'pipe', log],
    env: inheritedEnvironment(specification.environment ?? {}),
    ...(specification.workingDirectory === undefined ? {} : { cwd: specification.workingDirectory }),
    ...specification.user,
  });
  const ended = endOf(child);
  const output = keepOutput(child, log);
  const { pid } = child;
  if (pid === undefined) {
    throw new Error(`${name}: ${command} cannot be started: ${await ended}; install it or correct its path`);
  }
  const running = (): boolean => child.exitCode === null && child.signalCode === null;
  let stopping: Promise<void> | undefined;
  return {
    pid,
    logPath,
    output,
    running,
    ended,
    exitCode: () => child.exitCode,
    stop: async () => await (stopping ??= stopGroup(specification, pid, { running, ended })),
  };
}

/** A process ended by itself before it was ready. */
export class EndedEarly extends Error {
  override readonly name = 'EndedEarly';
  /** Null when a signal ended it. */
  readonly exitCode: number | null;

  constructor(message: string, exitCode: number | null) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Waits for readiness. Rejects with an `EndedEarly` if it ends before; the error names the process, the failure, its last lines and its log. */
export async function awaitReady(
  specification: ProcessSpecification,
  child: SupervisedProcess,
  signal: AbortSignal,
): Promise<void> {
  const { name, ready } = specification;
  const fail = (fact: string, cause?: unknown): Error =>
    new Error(`${name}: ${fact}; see ${child.logPath}\n${lastLines(child.logPath)}`.trimEnd(), { cause });
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(ready.timeoutMs)]);
  const over = Promise.race([
    child.ended.then((how): Verdict => ({ kind: 'ended', how })),
    whenAborted(bounded),
  ]);
  let verdict: Verdict = { kind: 'waiting' };
  while (verdict.kind === 'waiting') {
    // An end or a stop comes first, so that it wins over a simultaneous answer.
    verdict = await Promise.race([over, ask(ready.check, child.output())]);
    if (verdict.kind === 'waiting') await Promise.race([over, sleep(pollMs)]);
  }
  switch (verdict.kind) {
    case 'ready':
      return;
    case 'ended':
      throw new EndedEarly(fail(`ended before it was ready (${verdict.how})`).message, child.exitCode());
    case 'failed':
      throw fail('the check whether it is ready failed', verdict.cause);
    case 'aborted':
      throw signal.aborted
        ? fail('was stopped before it was ready', signal.reason)
        : fail(`not ready in ${ready.timeoutMs} ms`);
  }
}

type Verdict =
  | { readonly kind: 'waiting' | 'ready' | 'aborted' }
  | { readonly kind: 'ended'; readonly how: string }
  | { readonly kind: 'failed'; readonly cause: unknown };

async function ask(check: ProcessSpecification['ready']['check'], output: string): Promise<Verdict> {
  try {
    return { kind: (await check(output)) ? 'ready' : 'waiting' };
  } catch (cause) {
    return { kind: 'failed', cause };
  }
}

async function whenAborted(signal: AbortSignal): Promise<Verdict> {
  return await new Promise((resolve) => {
    if (signal.aborted) resolve({ kind: 'aborted' });
    signal.addEventListener('abort', () => resolve({ kind: 'aborted' }), { once: true });
  });
}

async function stopGroup(
  specification: ProcessSpecification,
  pid: number,
  { running, ended }: Pick<SupervisedProcess, 'running' | 'ended'>,
): Promise<void> {
  if (running()) {
    sendSignal(pid, specification.stopSignal);
    const patience = new AbortController();
    const timeout = sleep(specification.stopTimeoutMs, undefined, { signal: patience.signal });
    await Promise.race([ended, timeout.catch(() => undefined)]);
    patience.abort();
  }
  if (running()) sendSignal(-pid, 'SIGKILL');
  if (!(await groupGone(pid, killTimeoutMs))) {
    throw new Error(
      `${specification.name}: process group ${pid} still runs ${killTimeoutMs} ms after SIGKILL`,
    );
  }
  await ended;
}

function keepOutput(child: ChildProcess, log: number): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    appendToLog(log, chunk);
    if (bytes >= outputBytesMax) return;
    chunks.push(chunk.subarray(0, outputBytesMax - bytes));
    bytes += chunk.length;
  });
  child.stdout?.once('close', () => closeSync(log));
  return () => Buffer.concat(chunks).toString('utf8');
}

async function endOf(child: ChildProcess): Promise<string> {
  return await new Promise((resolve) => {
    child.once('error', (error) => {
      // Also emitted when a signal could not be sent; then the process has not ended.
      if (child.pid === undefined) resolve(error.message);
    });
    child.once('exit', () => {
      // Descendants end with their leader. At once, because the group's number may be reused later.
      if (child.pid !== undefined) sendSignal(-child.pid, 'SIGKILL');
      resolve(describeEnd(child));
    });
  });
}
