/**
 * The runtime that this very process runs under, with its version: `node v26.10.0`, `bun v1.4.5`. Bun and Deno
 * tell a Node version as well, that of the interfaces they imitate.
 */
export function runningRuntime(): string {
  const { bun, deno } = process.versions;
  if (bun !== undefined) return `bun v${bun}`;
  if (deno !== undefined) return `deno v${deno}`;
  return `node ${process.version}`;
}
