/** The plan cannot be executed: nothing was connected; exit code 2. */
export class PlanError extends Error {
  override readonly name = 'PlanError';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The message of an error and of its causes, on one line. */
export function reasonOf(error: unknown): string {
  const messages: string[] = [];
  for (let cause = error; cause !== undefined && messages.length < 5;) {
    messages.push(messageOf(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return messages.join(': ').replaceAll(/\s*\n\s*/g, ' ');
}

/** A URL for a message: without user and password. */
export function withoutCredentials(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//');
}
