import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** `FAIR_BENCH_SPACETIMEDB_BIN`: a `spacetime` or `spacetimedb-standalone` of the user's; null when it is not set. */
export function namedBinary(): string | null {
  const named = process.env['FAIR_BENCH_SPACETIMEDB_BIN'];
  return named === undefined || named === '' ? null : named;
}

/** Where programs are looked for: PATH, then the user's cache folder. */
export function searchFolders(): readonly string[] {
  const { PATH: path = '', XDG_CACHE_HOME: cacheHome = '' } = process.env;
  const cache = cacheHome === '' ? join(homedir(), '.cache') : cacheHome;
  return [...path.split(delimiter).filter((folder) => folder !== ''), join(cache, 'fair-bench', 'bin')];
}
