import { InputError, schemaNames, schemaVariable } from '@fair-bench/contract';

/**
 * The environment's settings. Only this file reads it, except `FAIR_BENCH_<SYSTEM>_BIN`, a system's program, which
 * that system's connectors read.
 */
export interface EnvironmentSettings {
  /** `FAIR_BENCH_DATA_DIR`: the databases' data directory; null uses the default. */
  readonly dataDirectory: string | null;
  /** `FAIR_BENCH_SHARE_HOST=1`: as `--share-host`, for all commands. */
  readonly shareHost: boolean;
}

const prefix = 'FAIR_BENCH_';
const dataDirectoryName = 'FAIR_BENCH_DATA_DIR';
const shareHostName = 'FAIR_BENCH_SHARE_HOST';
const programNames = /^FAIR_BENCH_[A-Z0-9]+_BIN$/;
const accepted = `${dataDirectoryName}, ${schemaVariable}, ${shareHostName}=1, FAIR_BENCH_<SYSTEM>_BIN`;

/** Reads the environment. An unknown `FAIR_BENCH_…` name is an InputError, because it would be ignored silently. */
export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): EnvironmentSettings {
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(prefix) || name === dataDirectoryName || programNames.test(name)) continue;
    if (name === shareHostName && (value === '1' || value === '')) continue;
    if (name === schemaVariable && (value === '' || schemaNames.test(value ?? ''))) continue;
    throw new InputError(`environment: got ${name}="${value}"; accepts ${accepted}`);
  }
  const directory = environment[dataDirectoryName];
  return {
    dataDirectory: directory === undefined || directory === '' ? null : directory,
    shareHost: environment[shareHostName] === '1',
  };
}

/** The schema that `--schema` names, for this process and all that it starts. */
export function useSchema(name: string | undefined): void {
  if (name !== undefined) process.env[schemaVariable] = name;
}

/** A variable named by the user's configuration; null when it is not set, or empty. Its value is never shown. */
export function environmentVariable(name: string): string | null {
  const value = process.env[name];
  return value === undefined || value === '' ? null : value;
}

/** Where programs are searched: passed to a child that gets no other environment. */
export function searchPath(): string {
  return process.env['PATH'] ?? '';
}

/** The whole environment, for a program of the user's that depends on it. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  return process.env;
}
