// Another program that flushes a disk all the time, so that its counter of flushes rises for a server that flushes nothing.
import { spawn } from 'node:child_process';
import { fdatasyncSync, openSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Flushes a file of its own at `path` until it is ended. */
export function flushesTheDisk(path: string): Disposable {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), path], { stdio: 'ignore' });
  return { [Symbol.dispose]: () => void child.kill('SIGKILL') };
}

const path = process.argv[2];
if (import.meta.main && path !== undefined) {
  const file = openSync(path, 'w');
  const block = Buffer.alloc(4096, 1);
  const idle = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    writeSync(file, block, 0, block.length, 0);
    fdatasyncSync(file);
    // As often under load as in a quiet moment.
    Atomics.wait(idle, 0, 0, 1);
  }
}
