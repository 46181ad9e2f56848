import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { prepareNativeClient } from '../src/index.ts';

/** A double of cargo: its build waits for another, compiles one crate for as long as a file is missing, and fails. */
const doubleOfCargo = `#!/bin/sh
case $1 in
  --version) echo 'cargo 1.0.0' ;;
  metadata) echo '{"packages":[{"metadata":null},{"metadata":{"fair-bench":{"slow":{"takes":"an hour"}}}}]}' ;;
  build)
    echo '    Blocking waiting for file lock on build directory' >&2
    echo '   Compiling slow v1.0.0' >&2
    while ! [ -e end ]; do /bin/sleep 0.05; done
    exit 1 ;;
esac
`;

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'long-build-'));
  await writeFile(join(folder, 'cargo'), doubleOfCargo);
  await chmod(join(folder, 'cargo'), 0o755);
  vi.stubEnv('PATH', folder);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

test('it says how long the first build takes, and each minute that it still does', async () => {
  const lines: string[] = [];
  const { signal } = new AbortController();
  const onProgress = (line: string): void => void lines.push(line);
  const prepared = prepareNativeClient({ root: folder, signal, onProgress, engine: 'slow' });
  // Not by vi.waitFor, which advances the timers.
  const patience = { signal: AbortSignal.timeout(10_000) };
  while (lines.length < 2) await sleep(20, null, patience);
  vi.advanceTimersByTime(120_000);
  await writeFile(join(folder, 'end'), '');

  expect(await prepared).toMatchObject({ available: false });
  expect(lines).toEqual([
    'cargo waits for another build',
    'cargo builds it; the first build takes an hour',
    'crates begun: 1; 1 min so far',
    'crates begun: 1; 2 min so far',
  ]);
});
