/** A variable that is named in a target's options; null when it is not set. */
export function environmentValue(name: string): string | null {
  const value = process.env[name];
  return value === undefined || value === '' ? null : value;
}

/** Where the command line of Convex finds the programs that it starts. */
export function searchPath(): string {
  return process.env['PATH'] ?? '';
}

/**
 * `CONVEX_TEST_URL`: a real deployment that the tests may seed and write; its admin key is in
 * `CONVEX_SELF_HOSTED_ADMIN_KEY`. Null when it is not set.
 */
export function testedDeployment(): string | null {
  return environmentValue('CONVEX_TEST_URL');
}
