import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { searchPath } from '../env.ts';
import type { BenchContext } from './bench.ts';

const run = promisify(execFile);

export interface PgbenchLoad {
  readonly url: string;
  readonly connections: number;
  readonly durationS: number;
  readonly accounts: number;
}

/** Why pgbench cannot be used here, or null when it can. */
export async function pgbenchMissing(): Promise<string | null> {
  return await run('pgbench', ['--version']).then(
    () => null,
    () => 'pgbench is not on PATH: install the PostgreSQL client tools (Debian: postgresql-contrib)',
  );
}

/**
 * Transactions per second that `pgbench -M prepared` reaches with the same function, accounts drawn
 * uniformly, source ≠ target.
 */
export async function pgbenchRate(context: BenchContext, load: PgbenchLoad): Promise<number> {
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
  const { stdout } = await run(
    'pgbench',
    [
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
        PGHOST: url.hostname,
        PGPORT: url.port,
        PGUSER: decodeURIComponent(url.username),
        PGPASSWORD: decodeURIComponent(url.password),
        PGDATABASE: url.pathname.slice(1),
      },
    },
  );
  const rate = /^tps = ([\d.]+)/m.exec(stdout)?.[1];
  if (rate === undefined) throw new Error(`pgbench: printed no rate: ${stdout.slice(-300)}`);
  return Number(rate);
}
