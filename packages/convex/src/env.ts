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
 * A real deployment that the tests may push to, seed and write: `CONVEX_TEST_URL`, with its admin key in
 * `CONVEX_SELF_HOSTED_ADMIN_KEY`, and with its data folder in `CONVEX_TEST_DATA_DIRECTORY` where this machine can see
 * it. Empty when none is named.
 */
export function testedDeployments(): readonly { url: string; extra: Record<string, string> }[] {
  const url = environmentValue('CONVEX_TEST_URL');
  const dataDirectory = environmentValue('CONVEX_TEST_DATA_DIRECTORY');
  return url === null ? [] : [{ url, extra: dataDirectory === null ? {} : { dataDirectory } }];
}
