import type { Figure } from '@fair-bench/results';
import { type BenchContext, type BenchTarget, median, openBench } from '../../bench.ts';
import { atMost } from '../figure-bench.ts';

const targets = ['postgres-driver', 'sqlite-drizzle'] as const;
const trials = 6;
const accounts = 100_000;
const load = { parameters: { accounts }, alpha: 0.5, depth: 8, warmupMs: 500, windowMs: 1000 };
const goalS = 0.8;

/** The time of a trial beside its warm-up and window, by stage. */
export async function trialOverheadFigures(context: BenchContext): Promise<readonly Figure[]> {
  await using bench = await openBench(context, [...targets]);
  const figures: Figure[] = [];
  for (const name of targets) {
    const target = await bench.target(name);
    // The first trial creates the tables and seeds all of them.
    await overheadOf(target);
    const overheads: Overhead[] = [];
    for (let trial = 0; trial < trials; trial += 1) overheads.push(await overheadOf(target));
    const stages = stageNames.map((stage) => {
      const ms = median(overheads.map(({ stagesMs }) => stagesMs.get(stage) ?? 0));
      return `${stage} ${Math.round(ms)}`;
    });
    const note = `median of ${trials} trials, ${accounts} rows, ${load.windowMs} ms windows; milliseconds: ${stages.join(', ')}`;
    const seconds = median(overheads.map(({ ms }) => ms)) / 1000;
    figures.push(atMost(`${name}: time of a trial beside warm-up and window`, seconds, 's', goalS, note));
  }
  return figures;
}

/** In their order; `start` is the load client's, from its process to its first operation. */
const stageNames = ['seed', 'settle', 'start', 'drain', 'audit'] as const;

interface Overhead {
  readonly ms: number;
  readonly stagesMs: ReadonlyMap<string, number>;
}

async function overheadOf(target: BenchTarget): Promise<Overhead> {
  const stagesMs = new Map<string, number>();
  let begun: { readonly stage: string; readonly atMs: number } | null = null;
  const enter = (stage: string): void => {
    const atMs = performance.now();
    if (begun !== null) stagesMs.set(begun.stage, (stagesMs.get(begun.stage) ?? 0) + atMs - begun.atMs);
    begun = { stage, atMs };
  };
  const { result } = await target.measure({ ...load, onStage: enter });
  enter('end');
  // The prolongation of a warm-up is not overhead.
  for (const timed of ['warmup', 'window']) stagesMs.delete(timed);
  const ms = [...stagesMs.values()].reduce((sum, stageMs) => sum + stageMs, 0);
  if (result.timing.windowMs <= 0) throw new Error('trial overhead: a trial without a window');
  return { ms, stagesMs };
}
