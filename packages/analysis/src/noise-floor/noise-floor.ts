import { type Comparison, type NoiseFloor, deviationOf, minDetectableRatio } from '@fair-bench/results';

/** Whether a ratio, up or down, is within what this machine shows between a target and itself. */
export function isBelowNoiseFloor(ratio: number, { ratio: floor }: NoiseFloor): boolean {
  return Math.max(ratio, 1 / ratio) <= floor;
}

/**
 * The noise floor for this many rounds: more rounds detect smaller differences. A floor measured with shorter windows
 * than the run's is rather too high than too low. A single round detects nothing and changes nothing.
 */
export function noiseFloorFor(floor: NoiseFloor, rounds: number): NoiseFloor {
  if (rounds < 2 || rounds === floor.rounds) return floor;
  return { ...floor, ratio: minDetectableRatio(deviationOf(floor.ratio, floor.rounds), rounds), rounds };
}

/** The comparison with its judgement by the noise floor; as it is where none was measured. */
export function withNoiseFloor(comparison: Comparison, floor: NoiseFloor | null): Comparison {
  if (floor === null) return comparison;
  return { ...comparison, belowNoiseFloor: isBelowNoiseFloor(comparison.ratio, floor) };
}

/** The noise floor in a sentence. */
export function describeNoiseFloor(floor: NoiseFloor): string {
  const { ratio, target, repetitions, rounds, windowMs, falseAlarms, measuredAt } = floor;
  const percent = ((ratio - 1) * 100).toPrecision(2);
  return (
    `Noise floor of this machine: ${percent} % over ${rounds} rounds. Smaller differences are called noise. ` +
    `Measured ${measuredAt.slice(0, 10)} by npm run bench:aa: ${target} against itself, ${repetitions} repetitions ` +
    `with windows of ${windowMs} ms, ${falseAlarms} of them called different.`
  );
}
