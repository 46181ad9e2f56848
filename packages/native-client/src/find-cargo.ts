import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { PrepareOptions } from './prepare.ts';

const versionMsMax = 30_000;

export type Cargo =
  { readonly found: true; readonly version: string } | { readonly found: false; readonly reason: string };

/** Asks the cargo on PATH for its version. Rejects when the signal aborts. */
export async function findCargo({ root, signal }: PrepareOptions): Promise<Cargo> {
  try {
    const { stdout } = await promisify(execFile)('cargo', ['--version'], {
      cwd: root,
      signal,
      timeout: versionMsMax,
    });
    return { found: true, version: stdout.trim() };
  } catch (cause) {
    signal.throwIfAborted();
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (missing)
      return { found: false, reason: 'cargo, which builds the native load client, is not on PATH' };
    const message = cause instanceof Error ? cause.message : String(cause);
    return { found: false, reason: `cargo --version failed: ${message.trim().replaceAll(/\s*\n\s*/g, ' ')}` };
  }
}
