import type { z } from 'zod';

/**
 * Bad input: ends the command with exit code 2 before anything starts. The message is one line with the option (or
 * file), the value and what it accepts.
 */
export class InputError extends Error {
  override readonly name = 'InputError';

  constructor(message: string, options?: ErrorOptions) {
    super(message.replaceAll(/\s*\n\s*/g, ' ').trim(), options);
  }
}

/** Bad input of one option: `--depth: got "0"; accepts whole numbers from 1`. */
export function badOption(option: string, got: string, accepts: string, options?: ErrorOptions): InputError {
  return new InputError(`--${option}: got "${got}"; accepts ${accepts}`, options);
}

/** An error in one line: its message or those of its parts, and those of its causes that add something. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // `await using` throws it where ending a connection fails after the work on it has failed.
  if (error instanceof SuppressedError)
    return `${messageOf(error.suppressed)}; then ${messageOf(error.error)}`;
  // Connecting to a name with several addresses fails with one error for each.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  const own = error.message.replaceAll(/\s*\n\s*/g, ' ');
  if (error.cause === undefined) return own;
  const cause = messageOf(error.cause);
  return own.includes(cause) ? own : `${own} (${cause})`;
}

/** The first problem that a schema found, on one line: `clients.node: a module path within the package`. */
export function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'refused';
  const path = issue.path.map(String).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}

/** Whether it is an error of the operating system with one of these codes, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly unknown[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(error.code);
}

/** Parses JSON; an InputError names the place of the error. */
export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`${where}: not JSON: ${messageOf(error)}`, { cause: error });
  }
}
