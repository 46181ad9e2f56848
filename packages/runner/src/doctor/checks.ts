import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { DoctorCheck } from './doctor-report.ts';

const answerTimeoutMs = 10_000;

export function ok(name: string, found: string): DoctorCheck {
  return { name, status: 'ok', found };
}

export function lacking(name: string, found: string, remedy: string): DoctorCheck {
  return { name, status: 'lacking', found, remedy };
}

export function needed(name: string, found: string, remedy: string): DoctorCheck {
  return { name, status: 'needed', found, remedy };
}

/** The first line of a program's output; null when it is missing, fails or takes too long. */
export async function answerOf(command: string, words: readonly string[]): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(command, words, { timeout: answerTimeoutMs });
    return stdout.split('\n', 1)[0]?.trim() ?? '';
  } catch {
    return null;
  }
}

/** A file's text; null without one, as below /proc on another system. */
export async function textOf(path: string): Promise<string | null> {
  return await readFile(path, 'utf8').catch(() => null);
}
