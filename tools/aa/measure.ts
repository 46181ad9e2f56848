import { type BenchContext, openBench } from '../bench.ts';
import { type RoundPair, shuffled, splitMix64 } from '@fair-bench/results';

const sessions = 50;
const warmupMs = 300;
/** Which of the two comes first is drawn: neither is always the later one. */
const orderSeed = 42n;

export interface AaPlan {
  readonly target: string;
  readonly repetitions: number;
  readonly rounds: number;
  readonly windowMs: number;
  /** Told after each repetition. */
  readonly onRepetition: (pairs: readonly RoundPair[], done: number) => void;
}

/**
 * Measures one target against itself: in each round two audited trials of the same cell, one after the other. An
 * abort ends it early with the repetitions that are whole. Rejects when the target is unavailable or an audit fails.
 */
export async function measureAa(context: BenchContext, plan: AaPlan): Promise<readonly RoundPair[][]> {
  const bench = await openBench(context, [plan.target]);
  const draw = splitMix64(orderSeed);
  const repetitions: RoundPair[][] = [];
  try {
    const target = await bench.target(plan.target);
    const rate = async (): Promise<number> =>
      (await target.measure({ sessions, warmupMs, windowMs: plan.windowMs })).tps;
    for (let done = 1; done <= plan.repetitions; done += 1) {
      const pairs: RoundPair[] = [];
      for (let round = 0; round < plan.rounds; round += 1) {
        if (context.signal.aborted) return repetitions;
        const [first] = shuffled(['baseline', 'contender'], draw);
        const [earlier, later] = [await rate(), await rate()];
        const [baseline, contender] = first === 'baseline' ? [earlier, later] : [later, earlier];
        pairs.push({ baseline, contender });
      }
      repetitions.push(pairs);
      plan.onRepetition(pairs, done);
    }
    return repetitions;
  } catch (error) {
    if (context.signal.aborted) return repetitions;
    throw error;
  } finally {
    await bench.close();
  }
}
