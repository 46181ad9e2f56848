import type { z } from 'zod';

/** The first thing that a schema refused, on one line: `clients.node: a module path within the package`. */
export function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'refused';
  const path = issue.path.map(String).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}
