/** The runner's own environment with `additions` over it: what a child process is given. */
export function inheritedEnvironment(
  additions: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  return { ...process.env, ...additions };
}
