import { findProgram, programVersion } from '@fair-bench/supervisor';

export const noServer = 'no SpacetimeDB server was found on this machine';

/** The ways to get one. */
export const remedy =
  'name a server of 2.0 or later by --url spacetimedb=http://HOST:PORT; or have spacetime or spacetimedb-standalone ' +
  'on PATH, in FAIR_BENCH_SPACETIMEDB_BIN or in ~/.cache/fair-bench/bin; or start one by `POSTGRES_PASSWORD=any docker compose up spacetimedb` ' +
  'and name its URL';

export interface ServerBinary {
  readonly path: string;
  readonly version: string;
}

const majorMin = 2;

/** The server's program on this machine; null when there is none. Rejects when it does not run or is too old. */
export async function findBinary(): Promise<ServerBinary | null> {
  // Both take the same arguments; the first needs no other program beside it.
  const names = ['spacetimedb-standalone', 'spacetime'];
  const path = await findProgram({ system: 'spacetimedb', names });
  if (path === null) return null;
  const version = await programVersion(path);
  requireVersion(version, path);
  return { path, version };
}

/** Throws, with the version that was found and the one that is needed, when `version` is older than 2.0. */
export function requireVersion(version: string, where: string): void {
  if (Number.parseInt(version, 10) >= majorMin) return;
  throw new Error(`SpacetimeDB ${version} at ${where} is too old; ${majorMin}.0 or later is needed`);
}
