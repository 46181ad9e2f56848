import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { PrepareOptions } from './prepare.ts';

export type Build =
  | { readonly status: 'built'; readonly executable: string }
  | { readonly status: 'failed'; readonly reason: string };

const packageName = 'fair-bench-load-client';
const binaryName = 'native';
const reasonLinesMax = 12;

/** Of cargo's messages in JSON, the one that names the program; the others have no `executable`. */
const artifactSchema = z.object({
  reason: z.literal('compiler-artifact'),
  target: z.object({ name: z.literal(binaryName) }),
  executable: z.string(),
});

/** Builds the program; where it lies is cargo's to say, as the target folder can be set elsewhere. */
export async function runCargo({ root, signal, onProgress }: PrepareOptions): Promise<Build> {
  const cargo = spawn(
    'cargo',
    [
      'build',
      '--release',
      '--locked',
      '--package',
      packageName,
      '--color=never',
      '--message-format=json-render-diagnostics',
    ],
    // A group of its own, so that the compilers that cargo has started end with it.
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  const end = (): void => endGroup(cargo.pid);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  let executable: string | null = null;
  createInterface({ input: cargo.stdout }).on('line', (line) => {
    executable = executableOf(line) ?? executable;
  });
  const lines: string[] = [];
  createInterface({ input: cargo.stderr }).on('line', (line) => {
    onProgress(line.trim());
    lines.push(line.trim());
    if (lines.length > reasonLinesMax) lines.shift();
  });
  try {
    const [code]: unknown[] = await once(cargo, 'close');
    if (code === 0 && executable !== null) return { status: 'built', executable };
    return { status: 'failed', reason: lines.filter((line) => line !== '').join(' | ') };
  } finally {
    signal.removeEventListener('abort', end);
  }
}

function executableOf(line: string): string | null {
  try {
    const parsed = artifactSchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data.executable : null;
  } catch {
    // A build script may print what it likes.
    return null;
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGTERM');
  } catch (error) {
    // It may have ended by itself just now.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
