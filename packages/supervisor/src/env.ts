import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The runner's environment overlaid with `additions`, for a child process. */
export function inheritedEnvironment(
  additions: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  return { ...process.env, ...additions };
}

/** The variable that names a system's program: `FAIR_BENCH_MARIADB_BIN`. */
export function programVariableName(system: string): string {
  return `FAIR_BENCH_${system.toUpperCase().replaceAll('-', '_')}_BIN`;
}

/** The value of that variable; null when it is not set. */
export function programVariable(system: string): string | null {
  const value = process.env[programVariableName(system)];
  return value === undefined || value === '' ? null : value;
}

/**
 * Where programs are searched: PATH, folders of servers that are missing from an ordinary user's PATH, the user's
 * cache.
 */
export function programFolders(): readonly string[] {
  const { PATH: path = '', XDG_CACHE_HOME: cacheHome = '' } = process.env;
  const cache = cacheHome === '' ? join(homedir(), '.cache') : cacheHome;
  return [
    ...path.split(delimiter).filter((folder) => folder !== ''),
    '/usr/local/sbin',
    '/usr/sbin',
    join(cache, 'fair-bench', 'bin'),
  ];
}
