import type { Reads } from '@fair-bench/engine';
import { defineLyingEngine } from './lying-engine.ts';

/** Of so many reads one is wrong: no multiple of the texts of a row, so that each of them has its turn. */
const wrongOf = 101;
/** In the row's first text. */
const letter = 42;

/** An engine that now and then returns a row with one letter of a text changed, which it never stored. */
export default defineLyingEngine((engine) => {
  let reads = 0;
  const wrong: Reads = {
    range: (range) => engine.range(range),
    get(key) {
      reads += 1;
      const value = engine.get(key);
      if (value === undefined || reads % wrongOf !== 0) return value;
      const copy = Uint8Array.from(value);
      copy[letter] = (copy[letter] ?? 0) ^ 1;
      return copy;
    },
  };
  return { ...engine, ...wrong, atOneMoment: (act) => act(wrong) };
});
