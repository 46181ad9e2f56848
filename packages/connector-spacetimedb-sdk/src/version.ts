const majorMin = 2;

/** Throws, with the version that was found and the one that is needed, when `version` is older than 2.0. */
export function requireVersion(version: string, where: string): void {
  if (Number.parseInt(version, 10) >= majorMin) return;
  throw new Error(`SpacetimeDB ${version} at ${where} is too old; ${majorMin}.0 or later is needed`);
}
