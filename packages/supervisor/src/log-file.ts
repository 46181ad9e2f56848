import {
  type WriteStream,
  closeSync,
  createWriteStream,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Opens a log to append to, for a child's standard error (`descriptor`) and its standard output (`stream`). */
export function openLog(path: string): { descriptor: number; stream: WriteStream; close: () => void } {
  mkdirSync(dirname(path), { recursive: true });
  const descriptor = openSync(path, 'a');
  return {
    descriptor,
    stream: createWriteStream(path, { flags: 'a' }),
    close: () => closeSync(descriptor),
  };
}

/** The last lines of a log, at most 20 and 4 KiB. */
export function lastLines(path: string): string {
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, 4_096));
    const length = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8', 0, length).trimEnd().split('\n').slice(-20).join('\n');
  } finally {
    closeSync(descriptor);
  }
}
