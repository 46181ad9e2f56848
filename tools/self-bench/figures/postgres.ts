import type { Figure } from '@fair-bench/results';
import { type BenchContext, type BenchTarget, clientCpuUsOf, median, openBench } from '../../bench.ts';
import { atLeast, missing } from '../figure-bench.ts';
import { defaultScript, pgbenchMissing, runPgbench } from '../../pgbench.ts';

const rounds = 5;
const windowMs = 4000;
const sessions = 50;
const accounts = 100_000;

const direct = 'postgres-driver';
const goals = [
  { target: 'postgres-storedproc@clientcodec-tuned', least: 0.45 },
  { target: 'postgres-driver', least: 0.75 },
] as const;

/** Our routes beside pgbench that calls the same function on the same server, interleaved. */
export async function postgresFigures(context: BenchContext): Promise<readonly Figure[]> {
  const names = goals.map(({ target, least }) => ({
    name: `${target} against pgbench -M prepared`,
    target,
    least,
  }));
  const why = await pgbenchMissing();
  if (why !== null) return names.map(({ name, least }) => missing(name, '×', `≥ ${least}`, why));
  const figures: Figure[] = [];
  for (const { name, target, least } of names) {
    const { ratio, cpuUs, pgbenchTps } = await compare(context, target);
    const note =
      `${sessions} sessions, depth 1, durable, median of ${rounds} interleaved rounds of ${windowMs} ms; ` +
      `pgbench ${Math.round(pgbenchTps)} tps, load client ${cpuUs.toFixed(1)} µs CPU per operation`;
    figures.push(atLeast(name, ratio, '×', least, note));
  }
  return figures;
}

async function compare(
  context: BenchContext,
  name: string,
): Promise<{ ratio: number; cpuUs: number; pgbenchTps: number }> {
  await using bench = await openBench(context, name === direct ? [direct] : [name, direct]);
  const target = await bench.target(name);
  // pgbench connects to the server itself: the driver route's endpoint is the server's own.
  const { url } = (await bench.target(direct)).deployment.endpoint;
  const durationS = windowMs / 1000;
  const script = await defaultScript(context.root, accounts);
  const ratios: number[] = [];
  const cpuUs: number[] = [];
  const pgbenchTps: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const trial = await target.measure({ sessions, windowMs, parameters: { accounts } });
    const { tps } = await runPgbench(context, { url, connections: sessions, durationS, script });
    await checkWork(target);
    ratios.push(trial.tps / tps);
    cpuUs.push(clientCpuUsOf(trial));
    pgbenchTps.push(tps);
  }
  return { ratio: median(ratios), cpuUs: median(cpuUs), pgbenchTps: median(pgbenchTps) };
}

/** pgbench checks nothing, and on an unseeded table it would be fast. */
async function checkWork({ deployment }: BenchTarget): Promise<void> {
  const balances = new Set<bigint>();
  let read = 0;
  for await (const rows of deployment.tables.scan(0, AbortSignal.timeout(30_000))) {
    read += rows.length;
    for (const [, balance] of rows) balances.add(BigInt(String(balance)));
  }
  // The rows of canaries are there too.
  if (read < accounts || balances.size < 2) {
    throw new Error(
      `pgbench: ${read} of ${accounts} accounts are there, with ${balances.size} different balances`,
    );
  }
}
