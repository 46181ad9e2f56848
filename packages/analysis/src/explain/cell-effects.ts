import { meanOf } from '@fair-bench/results';

/** Logarithms of a cell's throughput, by round. */
export type Logs = ReadonlyMap<number, number>;

const sweepsMax = 1000;
const settled = 1e-10;

/**
 * The cells' mean logarithms without the effects of the rounds: least squares of cell + round, by backfitting. Where
 * every cell has every round, these are the simple means, and the difference of two cells is the mean of their paired
 * differences. Cells may have rounds that others lack.
 */
export function cellEffects<Key>(cells: ReadonlyMap<Key, Logs>): ReadonlyMap<Key, number> {
  const rounds = new Map(
    [...new Set([...cells.values()].flatMap((logs) => [...logs.keys()]))].map((r) => [r, 0]),
  );
  let effects = new Map<Key, number>([...cells.keys()].map((key) => [key, 0]));
  for (let sweep = 0; sweep < sweepsMax; sweep += 1) {
    const next = new Map(
      [...cells].map(([key, logs]) => [
        key,
        meanOf([...logs].map(([round, log]) => log - (rounds.get(round) ?? 0))),
      ]),
    );
    const moved = Math.max(...[...next].map(([key, value]) => Math.abs(value - (effects.get(key) ?? 0))));
    effects = next;
    if (moved < settled) break;
    for (const round of rounds.keys()) {
      const residuals = [...cells].flatMap(([key, logs]) => {
        const log = logs.get(round);
        return log === undefined ? [] : [log - (effects.get(key) ?? 0)];
      });
      rounds.set(round, meanOf(residuals));
    }
  }
  return effects;
}
