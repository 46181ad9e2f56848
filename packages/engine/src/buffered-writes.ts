import type { Entry, KeyRange, Reads, Writes } from './system.ts';

export type Change =
  | { readonly type: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: Uint8Array };

/** Writes that become one batch at the end of a transaction, for an engine that has nothing else: what was written is read before. */
export function bufferedWrites(reads: Reads): Writes & { readonly changes: readonly Change[] } {
  const changed = new Map<string, Change>();
  const changes: Change[] = [];
  const note = (change: Change): void => {
    changes.push(change);
    changed.set(textOf(change.key), change);
  };
  const merged = (entries: readonly Entry[], { from, until, reverse, limit }: KeyRange): readonly Entry[] => {
    const own = [...changed.values()].filter(
      ({ key }) => Buffer.compare(key, from) >= 0 && Buffer.compare(key, until) < 0,
    );
    // It was asked for more than the limit.
    if (own.length === 0) return entries.slice(0, limit);
    const others = entries.filter(([key]) => !changed.has(textOf(key)));
    const put = own.flatMap((one): Entry[] => (one.type === 'put' ? [[one.key, one.value]] : []));
    const sign = reverse ? -1 : 1;
    return [...others, ...put].sort(([a], [b]) => sign * Buffer.compare(a, b)).slice(0, limit);
  };
  return {
    changes,
    get(key) {
      const change = changed.size === 0 ? undefined : changed.get(textOf(key));
      if (change === undefined) return reads.get(key);
      return change.type === 'put' ? change.value : undefined;
    },
    range(range) {
      // As many more may be removed.
      const wide = { ...range, limit: range.limit + changed.size };
      const entries = reads.range(wide);
      return entries instanceof Promise
        ? entries.then((found) => merged(found, range))
        : merged(entries, range);
    },
    put: (key, value) => note({ type: 'put', key, value }),
    remove: (key) => note({ type: 'del', key }),
  };
}

function textOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
}
