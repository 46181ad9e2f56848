import { cpus } from 'node:os';
import { join } from 'node:path';
import { readSqlBinding } from '@fair-bench/connector-postgres/sessions';
import { type StatementProtocol, statementProtocolSchema } from '@fair-bench/contract';
import { loadWorkload } from '@fair-bench/runner';
import { z } from 'zod';
import { type BenchTarget, clientCpuUsOf, inTurn, openBench, print, withContext } from '../bench.ts';
import { pgbenchMissing, runPgbench, threadsFor } from '../pgbench.ts';
import { option, secondsText, tool, whole, wholes, words } from '../tool.ts';
import { type Compared, rowOf, tableHead, verdictOf } from './verdict.ts';

const workloadName = 'point-read';
const route = 'postgres-driver';

const options = {
  clients: option('numbers', 'client connections, separated by commas', wholes(1).prefault('1,10,100')),
  protocols: option(
    'names',
    'prepared, extended and simple, or some of them',
    words.pipe(z.array(statementProtocolSchema)).prefault('simple,extended,prepared'),
  ),
  rows: option('number', 'rows to read', whole(1).prefault('100000')),
  seconds: option('number', 'timed window of a trial', secondsText.prefault('3')),
  rounds: option('number', 'trials of each', whole(1).prefault('3')),
};

export const pgbenchTool = tool(
  'bench:pgbench',
  'the native load client beside pgbench -S on the same server, rows and statement: install pgbench first',
  options,
  compareWithPgbench,
);

/**
 * Compares the native load client with pgbench on reads of one row: the same server, rows, statement, protocol and
 * numbers of clients and threads, in turn. Our trials are audited; of pgbench the server must have counted a scan for each read.
 */
async function compareWithPgbench(values: z.infer<z.ZodObject<typeof options>>): Promise<number> {
  const why = await pgbenchMissing();
  if (why !== null) throw new Error(why);
  const windowMs = values.seconds * 1000;
  await withContext(async (context) => {
    const { folder } = await loadWorkload(context.root, workloadName);
    const script = readScript(folder, values.rows);
    print(
      `${cpus().length} processors, ${values.rows} rows; medians of ${values.rounds} rounds of ${values.seconds} s\n`,
    );
    print(tableHead);
    const all: Compared[] = [];
    for (const protocol of values.protocols) {
      const name = targetAt(protocol);
      await using bench = await openBench(context, [name], {}, workloadName);
      const target = await bench.target(name);
      for (const clients of values.clients) {
        const load = {
          url: target.deployment.endpoint.url,
          connections: clients,
          durationS: values.seconds,
          script,
          protocol,
        };
        const rounds = await inTurn(
          values.rounds,
          async () =>
            await target.measure({
              client: 'native',
              sessions: clients,
              threads: threadsFor(clients),
              windowMs,
              parameters: { rows: values.rows },
            }),
          async () => await countedBy(target, async () => await runPgbench(context, load)),
        );
        const compared = {
          protocol,
          clients,
          rounds: rounds.map(([trial, pgbench]) => ({
            native: { perSecond: trial.tps, cpuUs: clientCpuUsOf(trial) },
            pgbench: { perSecond: pgbench.tps, cpuUs: pgbench.cpuUsPerTxn },
          })),
        };
        all.push(compared);
        print(rowOf(compared));
      }
    }
    print(`\n${verdictOf(all)}`);
  });
  return 0;
}

/** What `pgbench -S` does, by the statement of the workload on its rows. */
export function readScript(folder: string, rows: number): readonly string[] {
  const { read = '' } = readSqlBinding(join(folder, 'postgres.sql')).statements;
  return [`\\set id random(0, ${rows - 1})`, `${read.replaceAll('$1', ':id')};`];
}

function targetAt(protocol: StatementProtocol): string {
  return protocol === 'prepared' ? route : `${route}@${protocol}`;
}

/** pgbench checks nothing: on an empty table, or with a statement that fails, it would be fast. */
async function countedBy<Result extends { readonly transactions: number }>(
  { deployment }: BenchTarget,
  run: () => Promise<Result>,
): Promise<Result> {
  const scans = async () => (await deployment.counters(AbortSignal.timeout(30_000))).scans ?? 0;
  const before = await scans();
  const result = await run();
  const counted = (await scans()) - before;
  if (counted < result.transactions) {
    throw new Error(`pgbench: the server counted ${counted} scans of ${result.transactions} reads`);
  }
  return result;
}
