import type { Reads } from '@fair-bench/engine';
import { defineLyingEngine } from './lying-engine.ts';

/** Longer than operations overlap that one thread carries out, and long enough for some on a busy machine. */
const oldMs = 700;

/** An engine whose reads are those of a moment that has passed; its transactions that write see the newest. */
export default defineLyingEngine((engine) => {
  let seenMs = performance.now();
  const seen = new Map<string, Uint8Array | undefined>();
  const old: Reads = {
    range: (range) => engine.range(range),
    get(key) {
      if (performance.now() - seenMs > oldMs) {
        seen.clear();
        seenMs = performance.now();
      }
      const name = Buffer.from(key).toString('hex');
      if (!seen.has(name)) {
        const value = engine.get(key);
        seen.set(name, value === undefined ? undefined : Uint8Array.from(value));
      }
      return seen.get(name);
    },
  };
  return { ...engine, ...old, atOneMoment: (act) => act(old) };
});
