import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from './bench.ts';
import { createSupervisor } from '@fair-bench/supervisor';

/** Hands a bench what it needs, and leaves nothing behind, also after Ctrl-C. */
export async function withContext(use: (context: BenchContext) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'fair-bench-bench-'));
  const interrupt = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => interrupt.abort(new Error('interrupted')));
  }
  const supervisor = createSupervisor({ logDirectory: directory, signal: interrupt.signal });
  const root = fileURLToPath(new URL('..', import.meta.url));
  try {
    await use({ root, directory, supervisor, signal: interrupt.signal });
  } finally {
    await supervisor.stopAll();
    await rm(directory, { recursive: true, force: true });
  }
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
