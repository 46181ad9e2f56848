import { seededNormal, seededRandom } from './random.ts';

export const trialSeconds = 2.6;
/** The drift of the whole machine, on the logarithm. */
const driftDeviation = 0.2;
const stallShare = 0.02;

/** A trial of a cell, one after the other in time: the logarithm of its throughput over the true one. */
export interface DriftingMachine {
  trial(cell: string): number;
  /** Lets so much time pass. */
  wait(seconds: number): void;
}

/**
 * Each cell has a deviation of 5 to 30 %; the machine drifts with a time constant of 30 to 600 s (Ornstein–Uhlenbeck);
 * one trial in fifty is stalled to 30 to 90 %. All cells are equally fast: each ratio is 1, so every significant difference is false.
 */
export function driftingMachine(seed: number): DriftingMachine {
  const normal = seededNormal(seed);
  const random = seededRandom(seed + 1_000_003);
  const deviations = new Map<string, number>();
  const constantSeconds = 30 * 20 ** random();
  let drift = driftDeviation * normal();
  const wait = (seconds: number): void => {
    const kept = Math.exp(-seconds / constantSeconds);
    drift = kept * drift + Math.sqrt(1 - kept ** 2) * driftDeviation * normal();
  };
  return {
    wait,
    trial(cell) {
      const deviation = deviations.get(cell) ?? 0.05 * 6 ** random();
      deviations.set(cell, deviation);
      wait(trialSeconds);
      const stall = random() < stallShare ? Math.log(0.3 + 0.6 * random()) : 0;
      return drift + deviation * normal() + stall;
    },
  };
}
