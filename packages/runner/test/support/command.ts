import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunSummary, runSummarySchema } from '@fair-bench/results';

const root = new URL('../../../../', import.meta.url);
const main = fileURLToPath(new URL('packages/runner/src/main.ts', root));
/** The commands that measure the harness itself. */
const toolsMain = fileURLToPath(new URL('tools/main.ts', root));
const endTimeoutMs = 90_000;

export interface RunningCommand {
  readonly child: ChildProcess;
  /** Both streams so far. */
  readonly output: () => string;
  /** Resolves when the output contains `text`; rejects when the command ends without it. */
  saw(text: string): Promise<void>;
  /** The exit code; rejects when the command does not end within 90 s. */
  readonly ended: Promise<number | null>;
}

/** Starts the command line as a user would, on the runtime of the tests. */
export function startCommand(
  words: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): RunningCommand {
  const child = spawn(
    process.execPath,
    [words[0]?.startsWith('bench:') === true ? toolsMain : main, ...words],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment,
    },
  );
  let text = '';
  const listeners = new Set<() => void>();
  const take = (chunk: string): void => {
    text += chunk;
    for (const listener of listeners) listener();
  };
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  const ended = new Promise<number | null>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`fair-bench ${words.join(' ')}: did not end in ${endTimeoutMs} ms:\n${text}`));
    }, endTimeoutMs);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
  return {
    child,
    output: () => text,
    ended,
    async saw(wanted) {
      const seen = new Promise<void>((resolve) => {
        const look = (): void => {
          if (text.includes(wanted)) resolve();
        };
        listeners.add(look);
        look();
      });
      await Promise.race([seen, ended]);
      if (!text.includes(wanted)) throw new Error(`ended without "${wanted}":\n${text}`);
    },
  };
}

export async function readSummary(directory: string): Promise<RunSummary> {
  return runSummarySchema.parse(JSON.parse(await readFile(join(directory, 'summary.json'), 'utf8')));
}

/** A small matrix that ends in seconds, on servers that are started once. */
export const smallRun =
  'fair-bench --alpha 0.5 --depth 1 --sessions 8 --accounts 1000 --duration 500ms --warmup 100ms --measure-again 2 --deployments 1 --processes 1'.split(
    ' ',
  );
