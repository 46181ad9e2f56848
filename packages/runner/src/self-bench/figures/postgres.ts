import type { Figure } from '@fair-bench/contract';
import { type BenchContext, clientCpuUsOf, deploy, median, tpsOf } from '../bench.ts';
import { atLeast, missing } from '../figure.ts';
import { pgbenchMissing, pgbenchRate } from '../pgbench.ts';

const rounds = 5;
const windowMs = 4000;
const sessions = 50;
const accounts = 100_000;

const goals = [
  { target: 'postgres-storedproc', least: 0.45 },
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
    const { ratio, cpuUs, rulerTps } = await compare(context, target);
    const note =
      `${sessions} sessions, depth 1, durable, median of ${rounds} interleaved rounds of ${windowMs} ms; ` +
      `pgbench ${Math.round(rulerTps)} tps, load client ${cpuUs.toFixed(1)} µs CPU per transfer`;
    figures.push(atLeast(name, ratio, '×', least, note));
  }
  return figures;
}

async function compare(
  context: BenchContext,
  name: string,
): Promise<{ ratio: number; cpuUs: number; rulerTps: number }> {
  const target = await deploy(context, name);
  // pgbench speaks to the server itself: the driver route's endpoint is the server's own.
  const direct = await deploy(context, 'postgres-driver');
  try {
    const ratios: number[] = [];
    const cpuUs: number[] = [];
    const rulerTps: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const result = await target.measure({ sessions, windowMs, accounts });
      const load = {
        url: direct.deployment.endpoint.url,
        connections: sessions,
        durationS: windowMs / 1000,
        accounts,
      };
      const ruler = await pgbenchRate(context, load);
      ratios.push(tpsOf(result) / ruler);
      cpuUs.push(clientCpuUsOf(result));
      rulerTps.push(ruler);
    }
    return { ratio: median(ratios), cpuUs: median(cpuUs), rulerTps: median(rulerTps) };
  } finally {
    await direct.close();
    await target.close();
  }
}
