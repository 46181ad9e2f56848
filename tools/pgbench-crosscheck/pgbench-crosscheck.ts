import { cpus } from 'node:os';
import { type StatementProtocol, statementProtocolSchema } from '@fair-bench/contract';
import { loadWorkload } from '@fair-bench/runner';
import { z } from 'zod';
import { clientCpuUsOf, inTurn, openBench, print, withContext } from '../bench.ts';
import { pgbenchMissing, runPgbench, threadsFor } from '../pgbench.ts';
import { option, secondsText, tool, whole, wholes, words } from '../tool.ts';
import { type Compared, rowOf, tableHeadOf, verdictOf } from './verdict.ts';
import { works } from './works.ts';

const route = 'postgres-driver';

const options = {
  workload: option(
    'name',
    'point-read (pgbench -S) or tpcb (the work of its TPC-B, as one call of a function)',
    z.enum(['point-read', 'tpcb']).prefault('point-read'),
  ),
  clients: option('numbers', 'client connections, separated by commas', wholes(1).prefault('1,10,100')),
  protocols: option(
    'names',
    'prepared, extended and simple, or some of them',
    words.pipe(z.array(statementProtocolSchema)).prefault('simple,extended,prepared'),
  ),
  rows: option('number', 'rows to read, or accounts', whole(1).prefault('100000')),
  seconds: option('number', 'timed window of a trial', secondsText.prefault('3')),
  rounds: option('number', 'trials of each', whole(1).prefault('3')),
};

export const pgbenchTool = tool(
  'bench:pgbench',
  'the native load client beside pgbench on the same server, rows and statement: install pgbench first',
  options,
  compareWithPgbench,
);

/**
 * Compares the native load client with pgbench on reads of one row, or on the work of pgbench's transaction as one call of a function: the same server, rows,
 * statement, protocol and numbers of clients and threads, in turn. Our trials are audited; what pgbench says it did must be
 * seen at the server.
 */
async function compareWithPgbench(values: z.infer<z.ZodObject<typeof options>>): Promise<number> {
  const why = await pgbenchMissing();
  if (why !== null) throw new Error(why);
  const windowMs = values.seconds * 1000;
  await withContext(async (context) => {
    const work = works[values.workload];
    const { folder } = await loadWorkload(context.root, work.workload);
    const script = await work.script(folder, values.rows);
    print(
      `${cpus().length} processors, ${values.rows} rows; medians of ${values.rounds} rounds of ${values.seconds} s\n`,
    );
    print(tableHeadOf(work));
    const all: Compared[] = [];
    for (const protocol of values.protocols) {
      const name = targetAt(protocol);
      await using bench = await openBench(context, [name], {}, work.workload);
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
              parameters: work.parameters(values.rows),
            }),
          async () => await work.counted(target.deployment, async () => await runPgbench(context, load)),
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
    print(`\n${verdictOf(all, work)}`);
  });
  return 0;
}

function targetAt(protocol: StatementProtocol): string {
  return protocol === 'prepared' ? route : `${route}@${protocol}`;
}
