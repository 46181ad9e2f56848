import type { ClientName, Figure } from '@fair-bench/results';
import { decodeHistogram } from '@fair-bench/load-client';
import { type BenchContext, type BenchTarget, clientCpuUsOf, median, openBench } from '../../bench.ts';
import { atMost, missing } from '../figure-bench.ts';
import { runWrk, type Seen, wrkMissing, wrkWarmupS } from '../wrk.ts';

const delayMs = 5;
const sessions = 50;
const durationS = 3;
const rounds = 5;
/** As long as wrk has, whose own code needs none; and few rows, so that the server does not collect what a trial refilled. */
const alike = { warmupMs: wrkWarmupS * 1000, parameters: { accounts: 1000 } };

/** The goals of each client's latency relative to wrk's: a ratio of p99, and a distance of p50. */
const goals = { node: 1.15, native: 1 } as const;
const medianDistanceMax = 0.02;

type Measured = Readonly<Record<ClientName | 'wrk', Seen>>;

/**
 * A known delay, as seen by each load client and wrk: on the same server, in the same minute, in rotating order. The
 * machine decides how far p99 lies above the delay, so it is compared with wrk's.
 */
export async function delayFigures(context: BenchContext): Promise<readonly Figure[]> {
  const lack = await wrkMissing();
  if (lack !== null) return [missing('latency at a known delay', '×', 'to be compared with wrk', lack)];
  await using bench = await openBench(context, ['null-http'], { delayMs: String(delayMs) });
  const target = await bench.target('null-http');
  const all: Measured[] = [];
  for (let round = 0; round < rounds; round += 1) all.push(await measureRound(context, target, round));
  return (['node', 'native'] as const).flatMap((client) => figuresOf(client, all));
}

async function measureRound(context: BenchContext, target: BenchTarget, round: number): Promise<Measured> {
  const measure = {
    wrk: async () =>
      await runWrk(context, { url: target.deployment.endpoint.url, connections: sessions, durationS }),
    node: async () => await clientPercentiles(target, 'node'),
    native: async () => await clientPercentiles(target, 'native'),
  };
  const order = (['wrk', 'node', 'native'] as const).map((_, place, names) => names[(place + round) % 3]);
  const found: Partial<Record<keyof Measured, Seen>> = {};
  for (const name of order) if (name !== undefined) found[name] = await measure[name]();
  const { wrk, node, native } = found;
  if (wrk === undefined || node === undefined || native === undefined)
    throw new Error('a round is not whole');
  return { wrk, node, native };
}

async function clientPercentiles(target: BenchTarget, client: ClientName): Promise<Seen> {
  const trial = await target.measure({
    client,
    sessions,
    depth: 1,
    windowMs: durationS * 1000,
    ...alike,
  });
  const histogram = decodeHistogram(trial.result.latency.applied);
  if (histogram === null) throw new Error('the null server applied nothing');
  const { tps } = trial;
  const coreShare = (clientCpuUsOf(trial) * tps) / 1e6;
  return { p50: histogram.percentileMs(50), p99: histogram.percentileMs(99), tps, coreShare };
}

function figuresOf(client: ClientName, all: readonly Measured[]): readonly Figure[] {
  const medianOf = (of: (round: Measured) => number): number => median(all.map(of));
  const seen = (percentile: 'p50' | 'p99'): string =>
    `${medianOf((round) => round[client][percentile]).toFixed(2)} ms, wrk ${medianOf(({ wrk }) => wrk[percentile]).toFixed(2)} ms`;
  const rate = (name: keyof Measured): string => medianOf((round) => round[name].tps).toFixed(0);
  const busy = medianOf((round) => round[client].coreShare ?? 0) * 100;
  const how =
    `null server with a delay of ${delayMs} ms, ${sessions} sessions, depth 1, medians of ${rounds} rounds of ${durationS} s in turn; ` +
    `${rate(client)} per second, wrk ${rate('wrk')}, the load client busy ${busy.toFixed(0)} % of a core`;
  const p99 = medianOf((round) => round[client].p99 / round.wrk.p99);
  const p50 = medianOf((round) => Math.abs(round[client].p50 / round.wrk.p50 - 1));
  return [
    atMost(`${client} p99 at a known delay against wrk`, p99, '×', goals[client], `${seen('p99')}; ${how}`),
    atMost(
      `${client} p50 at a known delay, distance from wrk`,
      p50,
      '',
      medianDistanceMax,
      `${seen('p50')}; ${how}`,
    ),
  ];
}
