import { cpus } from 'node:os';
import { everyRun, loadWorkload, seed } from '@fair-bench/runner';
import { defaultParameters } from '@fair-bench/workload';
import { z } from 'zod';
import { type BenchTarget, median, openBench, print, withContext } from '../bench.ts';
import { decimal, loadOptions, option, secondsText, tool, whole } from '../tool.ts';
import { drawRequests } from '../requests.ts';
import { k6Version, type Measured, runK6 } from './run-k6.ts';
import { verdictOf } from './verdict.ts';

const options = {
  workload: everyRun.workload,
  target: option(
    'name',
    'a target behind an RPC server',
    z.string().prefault('postgres-storedproc@clientcodec-tuned'),
  ),
  sessions: loadOptions('50', '1').sessions,
  seconds: option('number', 'timed window of a trial', secondsText.prefault('5')),
  warmup: option('seconds', 'before each window', decimal(0).prefault('2')),
  rounds: option('number', 'trials of each', whole(1).prefault('3')),
};

export const k6Tool = tool(
  'bench:k6',
  'the Node load client beside k6 on the same server, rows and operations: install k6 first',
  options,
  compareWithK6,
);

/**
 * Compares the Node load client with k6 on the same RPC server, rows and operations, at depth 1: throughput, outcomes and
 * client CPU of both, and which of them saturates the machine. Our trials are audited; k6 only counts replies. k6 is used
 * where it is on PATH: `go install go.k6.io/k6@latest`.
 */
async function compareWithK6(values: z.infer<z.ZodObject<typeof options>>): Promise<number> {
  const load = {
    sessions: values.sessions,
    warmupMs: values.warmup * 1000,
    windowMs: values.seconds * 1000,
  };
  await withContext(async (context) => {
    print(
      `${await k6Version()}; ${cpus().length} processors; ${values.workload} on ${values.target}, ${load.sessions} sessions`,
    );
    const { description } = await loadWorkload(context.root, values.workload);
    const cell = { target: values.target, parameters: defaultParameters(description) };
    await using bench = await openBench(context, [values.target], {}, values.workload);
    const target = await bench.target(values.target);
    const rounds: { readonly ours: Measured; readonly k6: Measured }[] = [];
    for (let round = 0; round < values.rounds; round += 1) {
      const ours = await measureOurs(target, load);
      const { deployment } = target;
      // The rows that k6 starts from are those that ours started from.
      const { workload } = await seed({ cell, workload: description, deployment, signal: context.signal });
      // k6 may be faster than ours, but not by this much.
      const count = Math.ceil(2 * perSecond(ours) * ((load.warmupMs + load.windowMs) / 1000 + 1));
      const requests = drawRequests(workload, load.sessions, count);
      const k6Load = { ...load, url: deployment.endpoint.url.replace(/\/$/, ''), requests };
      const k6 = await runK6(context.directory, k6Load, context.signal);
      rounds.push({ ours, k6 });
      print(`round ${round + 1}: ours ${describe(ours)}`);
      print(`         k6   ${describe(k6)}`);
    }
    print(
      verdictOf(
        medianOf(rounds.map(({ ours }) => ours)),
        medianOf(rounds.map(({ k6 }) => k6)),
        cpus().length,
      ),
    );
  });
  return 0;
}

/** One audited trial. */
async function measureOurs(
  target: BenchTarget,
  load: { readonly sessions: number; readonly warmupMs: number; readonly windowMs: number },
): Promise<Measured> {
  const { result, cpuUs, host } = await target.measure(load);
  const total = (counts: Readonly<Record<string, number | undefined>>): number =>
    Object.values(counts).reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return {
    applied: result.window.applied,
    declined: total(result.window.declined),
    faults: total(result.window.faults),
    windowMs: result.timing.windowMs,
    clientCpuUs: cpuUs.client ?? Number.NaN,
    busy: host?.busyShare ?? Number.NaN,
  };
}

function medianOf(all: readonly Measured[]): Measured {
  const middle = (valueOf: (measured: Measured) => number): number => median(all.map(valueOf));
  return {
    applied: middle(({ applied }) => applied),
    declined: middle(({ declined }) => declined),
    faults: middle(({ faults }) => faults),
    windowMs: middle(({ windowMs }) => windowMs),
    clientCpuUs: middle(({ clientCpuUs }) => clientCpuUs),
    busy: middle(({ busy }) => busy),
  };
}

function perSecond({ applied, windowMs }: Measured): number {
  return (applied / windowMs) * 1000;
}

function describe(measured: Measured): string {
  const { declined, faults, clientCpuUs, applied, busy } = measured;
  const cpu = `${(clientCpuUs / applied).toFixed(1)} µs of client CPU each`;
  return `${Math.round(perSecond(measured))} per second, ${declined} declined, ${faults} errors; ${cpu}; processors ${Math.round(busy * 100)} % busy`;
}
