import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Opens a log to append to; returns its descriptor. */
export function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  return openSync(path, 'a');
}

/** Appends to a log. Where that fails, as on a full disk, the log is incomplete and the run goes on. */
export function appendToLog(descriptor: number, chunk: Buffer): void {
  try {
    writeSync(descriptor, chunk);
  } catch {
    // The first 64 KiB are also in the process's `output`.
  }
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
