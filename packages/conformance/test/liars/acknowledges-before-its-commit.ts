import { bufferedWrites } from '@fair-bench/engine';
import { defineLyingEngine } from './lying-engine.ts';

const behindMs = 20;

/** An engine that acknowledges operations when they are in its memory, and commits many of them together a little later. */
export default defineLyingEngine((engine) => {
  let memory = bufferedWrites(engine);
  const commit = (): void => {
    const { changes } = memory;
    memory = bufferedWrites(engine);
    if (changes.length === 0) return;
    void engine.transact((writes) => {
      for (const change of changes) {
        if (change.type === 'put') writes.put(change.key, change.value);
        else writes.remove(change.key);
      }
    });
  };
  const timer = setInterval(commit, behindMs);
  return {
    ...engine,
    get: (key) => memory.get(key),
    range: (range) => memory.range(range),
    transact: (act) => act(memory),
    atOneMoment: (act) => act(memory),
    async close() {
      clearInterval(timer);
      commit();
      await engine.close();
    },
  };
});
