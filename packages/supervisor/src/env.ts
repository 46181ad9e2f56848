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

/** What the crates `cc` and `clang-sys` read to find a compiler of C++ and libclang. */
export function nativeTools(): {
  readonly compiler: string;
  readonly libclang: string | undefined;
  readonly llvmConfig: string;
  readonly libraryFolders: readonly string[];
} {
  const { CXX = '', LIBCLANG_PATH, LLVM_CONFIG_PATH, LD_LIBRARY_PATH = '', LIBRARY_PATH = '' } = process.env;
  const [compiler = 'c++'] = CXX.split(' ').filter((word) => word !== '');
  return {
    compiler,
    libclang: LIBCLANG_PATH,
    llvmConfig: LLVM_CONFIG_PATH ?? 'llvm-config',
    libraryFolders: `${LD_LIBRARY_PATH}${delimiter}${LIBRARY_PATH}`
      .split(delimiter)
      .filter((folder) => folder !== ''),
  };
}
