import type { Figure, PassedTrial } from '@fair-bench/results';
import { type Deployment, overRoles } from '@fair-bench/contract';
import { readCpuUs } from '@fair-bench/supervisor';
import { type BenchContext, median, openBench } from '../../bench.ts';
import { atMost } from '../figure-bench.ts';

const targets = ['postgres-driver', 'sqlite-drizzle'] as const;
const load = { sessions: 50, windowMs: 3000 };
const trials = 3;
const readings = 1000;
/** Of all rows. */
const fullReadings = 50;
const shareMax = 0.01;
/** At the window's beginning, at the end that was said and the one that was heard, before the load and after it. */
const countsBeside = 5;

/**
 * The cost of canaries and of their readings in a trial; the note has the other observations too. It counts work and
 * its CPU time. Throughput with and without canaries differs from trial to trial by more than ten times the share, so
 * an interval of a few minutes cannot show it. Where processors are the limit, a share of CPU time is a share of
 * throughput; elsewhere it is less.
 */
export async function observationFigures(context: BenchContext): Promise<readonly Figure[]> {
  await using bench = await openBench(context, [...targets]);
  const figures: Figure[] = [];
  for (const name of targets) {
    const target = await bench.target(name);
    const measured: PassedTrial[] = [];
    for (let trial = 0; trial < trials; trial += 1) measured.push(await target.measure(load));
    const costs = await costsOf(target.deployment, context.signal);
    const shares = measured.map((trial) => shareOf(trial, costs));
    const parts = (['canaries', 'settings', 'counts', 'looks', 'writers'] as const).map((part) => {
      const percent = median(shares.map((share) => share[part])) * 100;
      return `${part} ${percent.toFixed(3)} %`;
    });
    const note =
      `CPU time of observing ÷ CPU time of ${Math.round(median(measured.map(({ tps }) => tps)))} operations per second, ` +
      `median of ${trials} trials: ${parts.join(', ')}; a reading ${costs.read.toFixed(0)} µs, ` +
      `settings ${costs.settings.toFixed(0)} µs, a count ${costs.count.toFixed(0)} µs, a look ${costs.look.toFixed(0)} µs, ` +
      `subtransactions ${costs.subtransactions.toFixed(0)} µs, all rows' writers ${costs.writers.toFixed(0)} µs, each of ${readings} from idle, runner and server together`;
    const canaries = median(shares.map((share) => share.canaries));
    figures.push(atMost(`${name}: share of canaries in a trial`, canaries, '', shareMax, note));
  }
  return figures;
}

/** CPU microseconds of runner and server for one of each; nothing for what the system does not show. */
interface Costs {
  readonly read: number;
  readonly settings: number;
  readonly count: number;
  readonly look: number;
  readonly subtransactions: number;
  readonly writers: number;
}

async function costsOf(deployment: Deployment, signal: AbortSignal): Promise<Costs> {
  const observer = await deployment.observe(signal);
  try {
    return {
      read: await cpuUsEach(deployment, async () => await observer.read?.(0, [[1], [2]])),
      settings: await cpuUsEach(deployment, observer.settings),
      count: await cpuUsEach(deployment, observer.committed),
      look: await cpuUsEach(deployment, observer.unflushed),
      subtransactions: await cpuUsEach(deployment, observer.lastWriters?.subtransactionsMost ?? null),
      writers: await cpuUsEach(deployment, observer.lastWriters?.rowsMost ?? null, fullReadings),
    };
  } finally {
    await observer.close();
  }
}

async function cpuUsEach(
  deployment: Deployment,
  once: (() => Promise<unknown>) | null,
  times = readings,
): Promise<number> {
  if (once === null) return 0;
  const before = cpuUsNow(deployment);
  for (let reading = 0; reading < times; reading += 1) await once();
  return (cpuUsNow(deployment) - before) / times;
}

function cpuUsNow({ processes }: Deployment): number {
  const { user, system } = process.cpuUsage();
  return user + system + (overRoles(readCpuUs(processes)) ?? 0);
}

/** Of the window's CPU time; readings before and after the window are counted as if they were in it. */
function shareOf(
  { cpuUs, observed, result }: PassedTrial,
  costs: Costs,
): Record<'canaries' | 'settings' | 'counts' | 'looks' | 'writers', number> {
  const loadUs = cpuUs.client + (overRoles(cpuUs) ?? 0);
  const operationUs = loadUs / result.window.applied;
  const canaries = observed.canaries?.planned ?? 0;
  return {
    canaries: (canaries * (operationUs + costs.read)) / loadUs,
    settings: ((observed.settings?.readings ?? 0) * costs.settings) / loadUs,
    counts: (((observed.committedInWindow?.length ?? 0) + countsBeside) * costs.count) / loadUs,
    looks: ((observed.unflushed?.looks ?? 0) * costs.look) / loadUs,
    // Subtransactions are counted as often as there are looks, on average.
    writers:
      ((observed.unflushed?.looks ?? 0) * costs.subtransactions +
        (observed.lastWriters?.readings ?? 0) * costs.writers) /
      loadUs,
  };
}
