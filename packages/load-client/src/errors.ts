/** The plan cannot be executed: nothing was connected; exit code 2. */
export class PlanError extends Error {
  override readonly name = 'PlanError';
}

/** A URL for a message: without user and password. */
export function withoutCredentials(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//');
}
