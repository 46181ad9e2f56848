import { badOption, statementProtocolSchema } from '@fair-bench/contract';
import { readTicks } from '@fair-bench/supervisor';
import { pgbenchVersion, runPgbench, threadsFor } from '../pgbench.ts';
import type { Peer } from './peer.ts';
import { type Work, works } from './works.ts';

/** To read, or accounts: those of pgbench's scale 1. */
const rows = 100_000;

/** pgbench beside the native load client: the same statement and protocol, on the same rows. */
export const pgbench: Peer = {
  name: 'pgbench',
  client: 'native',
  defaults: {
    workload: 'point-read',
    targets: 'postgres-driver@simple,postgres-driver@extended,postgres-driver',
    sessions: '1,10,100',
  },
  version: pgbenchVersion,
  threads: threadsFor,
  parameters: (workload) => workOf(workload).parameters(rows),
  async measure(context, { deployment, loaded, sessions, windowMs }) {
    const work = workOf(loaded.name);
    const { url, options } = deployment.endpoint;
    const load = {
      url,
      connections: sessions,
      durationS: windowMs / 1000,
      script: await work.script(loaded.folder, rows),
      protocol: statementProtocolSchema.default('prepared').parse(options['protocol']),
    };
    let busy = Number.NaN;
    const result = await work.counted(deployment, async () => {
      const before = readTicks();
      const counted = await runPgbench(context, load);
      const after = readTicks();
      if (before !== null && after !== null)
        busy = (after.busyTicks - before.busyTicks) / (after.allTicks - before.allTicks);
      return counted;
    });
    const { transactions, failed, tps, cpuUsPerTxn } = result;
    const clientCpuUs = cpuUsPerTxn * transactions;
    const windowMsSeen = (transactions / tps) * 1000;
    return { applied: transactions, declined: 0, faults: failed, windowMs: windowMsSeen, clientCpuUs, busy };
  },
};

function workOf(workload: string): Work {
  const work = Object.values(works).find((one) => one.workload === workload);
  if (work !== undefined) return work;
  const names = Object.keys(works).join(' or ');
  throw badOption('workload', workload, `${names}: what pgbench has built in`);
}
