import type { z } from 'zod';
import { checkReferences } from './check.ts';
import type { Mistake } from './checker.ts';
import { descriptionSchema, type WorkloadDescription } from './schema.ts';

/** A description or its parameters are wrong. The message names every mistake, one per line. */
export class WorkloadError extends Error {
  readonly mistakes: readonly Mistake[];

  constructor(source: string, mistakes: readonly Mistake[]) {
    super(mistakes.map(({ path, message }) => `${source}: ${path.join('/')}: ${message}`).join('\n'));
    this.name = 'WorkloadError';
    this.mistakes = mistakes;
  }
}

/**
 * Checks a description from a file or a trial plan: first its form, then its references. `source` names the file or
 * the plan in errors. Throws a WorkloadError.
 */
export function parseDescription(json: unknown, source: string): WorkloadDescription {
  const parsed = descriptionSchema.safeParse(json);
  if (!parsed.success) throw new WorkloadError(source, mistakesOf(json, parsed.error));
  const mistakes = checkReferences(parsed.data);
  if (mistakes.length > 0) throw new WorkloadError(source, mistakes);
  return parsed.data;
}

/** A ZodError's issues, with the elements of arrays by their names. */
export function mistakesOf(json: unknown, error: z.ZodError): Mistake[] {
  return error.issues.map((issue) => ({
    path: namedPath(json, issue.path),
    message: innermost(issue),
  }));
}

/** For a union without an error of its own: the first member's message. */
function innermost(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union' || issue.message !== 'Invalid input') return issue.message;
  const inner = issue.errors.flat()[0];
  if (inner === undefined) return issue.message;
  const place = inner.path.length > 0 ? `${inner.path.join('/')}: ` : '';
  return `${place}${innermost(inner)}`;
}

function namedPath(json: unknown, path: readonly PropertyKey[]): (string | number)[] {
  const named: (string | number)[] = [];
  let value: unknown = json;
  for (const step of path) {
    value = memberOf(value, step);
    const name = typeof step === 'number' ? memberOf(value, 'name') : undefined;
    named.push(typeof name === 'string' ? name : typeof step === 'number' ? step : String(step));
  }
  return named;
}

function memberOf(value: unknown, step: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
}
