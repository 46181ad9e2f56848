import { cpus } from 'node:os';
import { sum } from '@fair-bench/results';
import { type LoadedWorkload, loadWorkload, seed } from '@fair-bench/runner';
import { defaultParameters } from '@fair-bench/workload';
import { z } from 'zod';
import { type BenchContext, type BenchTarget, inTurn, openBench, print, withContext } from '../bench.ts';
import { decimal, option, secondsText, tool, whole, wholes, word, words } from '../tool.ts';
import { k6 } from './k6.ts';
import type { Measured, Peer } from './peer.ts';
import { pgbench } from './pgbench.ts';
import { type Compared, perSecond, rowOf, tableHeadOf, verdictOf } from './verdict.ts';

const peers = { k6, pgbench };

const options = {
  with: option(
    'name',
    'k6, beside the Node load client; pgbench, beside the native one',
    z.enum(['k6', 'pgbench']),
  ),
  workload: option('name', 'for pgbench: point-read (its -S) or tpcb (the work of its TPC-B)', word()),
  targets: option('names', 'separated by commas; for k6 behind RPC servers', words.optional()),
  sessions: option('numbers', 'client connections, separated by commas', wholes(1).optional()),
  seconds: option('number', 'timed window of a trial', secondsText.prefault('3')),
  warmup: option('seconds', 'before each window; pgbench has none', decimal(0).prefault('2')),
  rounds: option('number', 'trials of each client', whole(1).prefault('3')),
};

export const crosscheckTool = tool(
  'bench:crosscheck',
  'our load client beside k6 or pgbench, on the same server, rows and operations',
  options,
  crosscheck,
);

interface Setting {
  readonly context: BenchContext;
  readonly peer: Peer;
  readonly loaded: LoadedWorkload;
  readonly rounds: number;
  readonly warmupMs: number;
  readonly windowMs: number;
}

/**
 * Measures our load client and another load generator in turn on the same server, rows and operations. Our trials are audited; the
 * other only counts. Rejects, before anything is started, where the other is not installed.
 */
async function crosscheck(values: z.infer<z.ZodObject<typeof options>>): Promise<number> {
  const peer: Peer = peers[values.with];
  const version = await peer.version();
  const { workload, targets, sessions } = chosen(peer, values);
  await withContext(async (context) => {
    const loaded = await loadWorkload(context.root, workload);
    const named = { ours: peer.client, peer: peer.name, processors: cpus().length };
    const timing = { warmupMs: values.warmup * 1000, windowMs: values.seconds * 1000 };
    const setting = { context, peer, loaded, rounds: values.rounds, ...timing };
    print(`${version}; ${named.processors} processors; ${workload}; medians of ${values.rounds} rounds\n`);
    print(tableHeadOf(named));
    const all: Compared[] = [];
    for (const name of targets) {
      await using bench = await openBench(context, [name], {}, workload);
      const target = await bench.target(name);
      for (const count of sessions) {
        const compared = {
          target: name,
          sessions: count,
          rounds: await compare(setting, name, target, count),
        };
        all.push(compared);
        print(rowOf(compared, named));
      }
    }
    print(`\n${verdictOf(all, named)}`);
  });
  return 0;
}

function chosen({ defaults, parameters }: Peer, values: z.infer<z.ZodObject<typeof options>>) {
  const { workload = defaults.workload } = values;
  // Refuses a workload that it cannot do.
  parameters(workload);
  return {
    workload,
    targets: values.targets ?? words.parse(defaults.targets),
    sessions: values.sessions ?? wholes(1).parse(defaults.sessions),
  };
}

/** Rounds of both clients, in alternating order, each on newly seeded rows. */
async function compare(
  { context, peer, loaded, rounds, ...timing }: Setting,
  name: string,
  target: BenchTarget,
  sessions: number,
): Promise<Compared['rounds']> {
  const { deployment } = target;
  const threads = peer.threads(sessions);
  const parameters = { ...defaultParameters(loaded.description), ...peer.parameters(loaded.name) };
  const cell = { target: name, parameters };
  let ourRate = 0;
  const measureOurs = async (): Promise<Measured> => {
    const { result, cpuUs, host } = await target.measure({
      client: peer.client,
      sessions,
      threads,
      parameters,
      ...timing,
    });
    const ours = {
      applied: result.window.applied,
      declined: sum(Object.values(result.window.declined)),
      faults: sum(Object.values(result.window.faults)),
      windowMs: result.timing.windowMs,
      clientCpuUs: cpuUs.client ?? Number.NaN,
      busy: host?.busyShare ?? Number.NaN,
    };
    ourRate = perSecond(ours);
    return ours;
  };
  const measurePeer = async (): Promise<Measured> => {
    const { workload } = await seed({
      cell,
      workload: loaded.description,
      deployment,
      signal: context.signal,
    });
    // As before each of our trials.
    await deployment.prepare(context.signal);
    return await peer.measure(context, { deployment, loaded, workload, sessions, ...timing, ourRate });
  };
  const measured = await inTurn(rounds, measureOurs, measurePeer);
  return measured.map(([ours, other]) => ({ ours, peer: other }));
}
