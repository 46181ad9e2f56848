import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { InputError, messageOf, type StatementProtocol } from '@fair-bench/contract';
import { defaultWorkload, loadWorkload, searchPath } from '@fair-bench/runner';
import type { BenchContext } from './bench.ts';

const run = promisify(execFile);

interface PgbenchLoad {
  readonly url: string;
  readonly connections: number;
  readonly durationS: number;
  /** What each client runs again and again, in pgbench's language; its variable `n` is 0 at first. */
  readonly script: readonly string[];
  /** `prepared` unless given. */
  readonly protocol?: StatementProtocol;
  /** Settings of its sessions, as libpq's options: `-c synchronous_commit=off`. */
  readonly sessionOptions?: string;
}

export interface PgbenchResult {
  readonly tps: number;
  readonly transactions: number;
  /** Transactions that ended in an error. */
  readonly failed: number;
  /** CPU microseconds of pgbench itself, user and system, for each transaction. */
  readonly cpuUsPerTxn: number;
}

/** pgbench's version. Rejects with the remedy when it is not on PATH. */
export async function pgbenchVersion(): Promise<string> {
  const { stdout } = await run('pgbench', ['--version'], { env: { PATH: searchPath() } }).catch(
    (cause: unknown) => {
      throw new InputError(
        'pgbench is not on PATH: install the PostgreSQL client tools (Debian: postgresql-contrib)',
        {
          cause,
        },
      );
    },
  );
  return stdout.trim();
}

/** Why pgbench is unavailable here, or null. */
export async function pgbenchMissing(): Promise<string | null> {
  return await pgbenchVersion().then(() => null, messageOf);
}

/** The default workload in pgbench's language, over so many accounts: drawn uniformly, source ≠ target. */
export async function defaultScript(root: string, accounts: number): Promise<readonly string[]> {
  const { folder } = await loadWorkload(root, defaultWorkload);
  return await scriptOf(folder, { accounts });
}

/** The workload in this folder in pgbench's language, with these values in place of variables that each transaction would set. */
export async function scriptOf(
  folder: string,
  variables: Readonly<Record<string, number>>,
): Promise<readonly string[]> {
  const script = await readFile(join(folder, 'pgbench.script'), 'utf8');
  const whole = Object.entries(variables).reduce(
    (text, [name, value]) => text.replaceAll(`:${name}`, String(value)),
    script,
  );
  return [whole];
}

/** The threads of pgbench for so many connections. */
export function threadsFor(connections: number): number {
  return Math.min(2, connections);
}

/** The throughput of pgbench's own script of the same operations. Its CPU time comes from the shell's `time`. */
export async function runPgbench(
  context: Pick<BenchContext, 'directory' | 'signal'>,
  { connections, durationS, script, protocol = 'prepared', sessionOptions, ...load }: PgbenchLoad,
): Promise<PgbenchResult> {
  const file = join(context.directory, 'script.pgbench');
  await writeFile(file, [...script, ''].join('\n'));
  const url = new URL(load.url);
  const words = [
    '-n',
    '-D',
    'n=0',
    '-M',
    protocol,
    '-c',
    connections,
    '-j',
    threadsFor(connections),
    '-T',
    durationS,
    '-f',
    file,
  ];
  const { stdout, stderr } = await run(
    'bash',
    ['-c', 'TIMEFORMAT="cpu %3U %3S"; time "$@"', 'bash', 'pgbench', ...words.map(String)],
    {
      signal: context.signal,
      env: {
        PATH: searchPath(),
        ...(sessionOptions === undefined ? {} : { PGOPTIONS: sessionOptions }),
        PGHOST: url.hostname,
        PGPORT: url.port,
        PGUSER: decodeURIComponent(url.username),
        PGPASSWORD: decodeURIComponent(url.password),
        PGDATABASE: url.pathname.slice(1),
      },
    },
  );
  const tps = numberIn(stdout, /^tps = ([\d.]+)/m);
  const transactions = numberIn(stdout, /^number of transactions actually processed: (\d+)/m);
  // pgbench before 15 gives a client up at its first error, and counts none.
  const failed = Number(/^number of failed transactions: (\d+)/m.exec(stdout)?.[1] ?? 0);
  const cpuS = numberIn(stderr, /^cpu ([\d.]+)/m) + numberIn(stderr, /^cpu [\d.]+ ([\d.]+)/m);
  return { tps, transactions, failed, cpuUsPerTxn: (cpuS * 1e6) / transactions };
}

function numberIn(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1];
  if (found === undefined)
    throw new Error(`pgbench: printed nothing like ${pattern.source}: ${text.slice(-300)}`);
  return Number(found);
}
