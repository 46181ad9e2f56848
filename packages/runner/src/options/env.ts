import { InputError } from '@fair-bench/contract';

/**
 * The settings that this program takes from the environment. This file alone reads it, but for
 * `FAIR_BENCH_<SYSTEM>_BIN`, which names a system's program to that system's connectors.
 */
export interface EnvironmentSettings {
  /** `FAIR_BENCH_DATA_DIR`: where databases put their data; null leaves the choice to the default. */
  readonly dataDirectory: string | null;
}

const prefix = 'FAIR_BENCH_';
const dataDirectoryName = 'FAIR_BENCH_DATA_DIR';
const programNames = /^FAIR_BENCH_[A-Z0-9]+_BIN$/;
const accepted = `${dataDirectoryName}, FAIR_BENCH_<SYSTEM>_BIN`;

/** Reads the environment. A `FAIR_BENCH_…` name that is not known is an InputError: it would be ignored silently. */
export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): EnvironmentSettings {
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(prefix) || name === dataDirectoryName || programNames.test(name)) continue;
    throw new InputError(`environment: got ${name}="${value}"; accepts ${accepted}`);
  }
  const directory = environment[dataDirectoryName];
  return { dataDirectory: directory === undefined || directory === '' ? null : directory };
}

/** A variable that the user's configuration names; null when it is not set, or empty. Its value is never shown. */
export function environmentVariable(name: string): string | null {
  const value = process.env[name];
  return value === undefined || value === '' ? null : value;
}

/** Where programs are looked for: handed on to a child that gets no other environment. */
export function searchPath(): string {
  return process.env['PATH'] ?? '';
}

/** The whole environment: handed on to a program of the user's that is set by it. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  return process.env;
}
