import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { ReaperCommand } from './reaper-protocol.ts';

/** The supervisor's connection to its reaper, a process that outlives it and cleans up. */
export interface Reaper {
  tell(command: ReaperCommand): void;
  /** Dismisses the reaper, which first ends and removes what is left. Resolves when it is gone. */
  dismiss(): Promise<void>;
}

/** Starts a reaper in its own session. It does not keep its owner's event loop alive. */
export function startReaper(): Reaper {
  const main = fileURLToPath(new URL('./reaper-main.ts', import.meta.url));
  const child = spawn(process.execPath, [main], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
    cwd: '/',
  });
  const ended = endOf(child);
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  // `dismiss` notices a dead reaper; until then a broken pipe must not end the run.
  child.stdin?.on('error', () => undefined);
  return {
    tell(command) {
      child.stdin?.write(`${JSON.stringify(command)}\n`);
    },
    async dismiss() {
      child.ref();
      child.stdin?.end();
      const outcome = await ended;
      if (outcome !== 'exit code 0') {
        throw new Error(
          `supervisor: the reaper ended with ${outcome}; look for processes and directories left over`,
        );
      }
    },
  };
}

async function endOf(child: ChildProcess): Promise<string> {
  const failed = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
  });
  const exited = once(child, 'exit').then(() => describeEnd(child));
  return await Promise.race([failed, exited]);
}

/** How a process that has exited ended, in words: `exit code 1`, `signal SIGKILL`. */
export function describeEnd(child: ChildProcess): string {
  return child.signalCode === null ? `exit code ${child.exitCode}` : `signal ${child.signalCode}`;
}
