import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { searchPath } from '@fair-bench/runner';
import type { BenchContext } from '../bench.ts';

const run = promisify(execFile);

export interface PgbenchLoad {
  readonly url: string;
  readonly connections: number;
  readonly durationS: number;
  readonly accounts: number;
  /** Settings of its sessions, as libpq's options: `-c synchronous_commit=off`. */
  readonly sessionOptions?: string;
}

export interface PgbenchResult {
  readonly tps: number;
  /** CPU microseconds of pgbench itself, user and system, for each transaction. */
  readonly cpuUsPerTxn: number;
}

/** Why pgbench is unavailable here, or null. */
export async function pgbenchMissing(): Promise<string | null> {
  return await run('pgbench', ['--version']).then(
    () => null,
    () => 'pgbench is not on PATH: install the PostgreSQL client tools (Debian: postgresql-contrib)',
  );
}

/** Transactions per second alone. */
export async function pgbenchRate(context: BenchContext, load: PgbenchLoad): Promise<number> {
  return (await runPgbench(context, load)).tps;
}

/**
 * The throughput of `pgbench -M prepared` with the same function, accounts drawn uniformly, source ≠ target. Its CPU
 * time comes from the shell's `time`.
 */
export async function runPgbench(context: BenchContext, load: PgbenchLoad): Promise<PgbenchResult> {
  const script = join(context.directory, 'transfer.pgbench');
  const last = load.accounts - 1;
  await writeFile(
    script,
    [
      `\\set source random(0, ${last})`,
      `\\set target (:source + random(1, ${last})) % ${load.accounts}`,
      '\\set amount random(1, 1000)',
      'SELECT fair_bench.transfer(:source, :target, :amount);',
      '',
    ].join('\n'),
  );
  const url = new URL(load.url);
  const { stdout, stderr } = await run(
    'bash',
    [
      '-c',
      'TIMEFORMAT="cpu %3U %3S"; time "$@"',
      'bash',
      'pgbench',
      '-n',
      '-M',
      'prepared',
      '-c',
      String(load.connections),
      '-j',
      '2',
      '-T',
      String(load.durationS),
      '-f',
      script,
    ],
    {
      signal: context.signal,
      env: {
        PATH: searchPath(),
        ...(load.sessionOptions === undefined ? {} : { PGOPTIONS: load.sessionOptions }),
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
  const cpuS = numberIn(stderr, /^cpu ([\d.]+)/m) + numberIn(stderr, /^cpu [\d.]+ ([\d.]+)/m);
  return { tps, cpuUsPerTxn: (cpuS * 1e6) / transactions };
}

function numberIn(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1];
  if (found === undefined)
    throw new Error(`pgbench: printed nothing like ${pattern.source}: ${text.slice(-300)}`);
  return Number(found);
}
