import {
  applied,
  History,
  inDoubt,
  refused,
  seeded,
  unknown,
} from '../../../src/replay/isolation/history.ts';

/** An operation of a history by hand. Its number is its place; all are concurrent unless their times say otherwise. */
export interface Made {
  /** By object, who wrote the version that it found; `[number, writer]` to choose its number. */
  readonly found?: Readonly<Record<string, number | null | readonly [number, number | null]>>;
  /** The objects that it wrote, once for each time. */
  readonly wrote?: readonly string[];
  readonly times?: readonly [sentUs: number, settledUs: number];
  readonly state?: 'refused' | 'in doubt';
}

const atOnce: readonly [number, number] = [0, 100];
type End = Readonly<Record<string, readonly [number, number | null]>>;

/** A history of these operations, and what is in the database in the end. */
export function historyOf(operations: readonly Made[], end: End = {}): History {
  const objects = [
    ...new Set(operations.flatMap(({ found = {}, wrote = [] }) => [...Object.keys(found), ...wrote])),
  ].sort();
  const history = new History(operations.length, {
    node: (node) => `T${node}`,
    object: (object) => objects[object] ?? '',
  });
  const numberOf = (object: string, writer: number | null): number => {
    if (writer === null) return 0;
    const { found = {}, wrote = [] } = operations[writer] ?? {};
    const own = found[object] ?? null;
    const before = Array.isArray(own)
      ? Number(own[0])
      : numberOf(object, Number.isInteger(own) ? Number(own) : null);
    return before + wrote.filter((each) => each === object).length;
  };
  for (const [node, { found = {}, wrote = [], times = atOnce, state }] of operations.entries()) {
    const states = { refused, 'in doubt': inDoubt };
    history.addNode(node, state === undefined ? applied : states[state], times);
    for (const [number, object] of objects.entries()) {
      const writes = wrote.filter((each) => each === object).length;
      const own = found[object];
      if (state !== undefined) {
        if (writes > 0) history.addEntry(node, number, [unknown, unknown], writes);
      } else if (own !== undefined) {
        const [version, by] = own === null || typeof own === 'number' ? [numberOf(object, own), own] : own;
        history.addEntry(node, number, [version, by === null ? seeded : by + 1], writes);
      }
    }
  }
  for (const [object, [number, writer]] of Object.entries(end)) {
    history.last.push({
      object: objects.indexOf(object),
      number,
      writer: writer === null ? seeded : writer + 1,
    });
  }
  return history;
}
