import { expect, test } from 'vitest';
import { mix32 } from '../../src/draw/scale.ts';
import { parseOutcomeLog, replayOutcomes, type SessionOutcomes } from '../../src/index.ts';
import { lost, lying, pages, run } from './simulation.ts';

/** Some declined, some in doubt: what is left out of such a log would stand as applied. */
const {
  workload,
  store,
  logs: whole,
  file,
  liar,
} = await run(
  lying('rename', 7, () => lost),
  { operations: 200 },
);
const reported = countsOf(whole);
const words = new Uint32Array(Uint8Array.from(file).buffer);
const tries = 200;
const headerWords = 13;
const exceptionsAt = headerWords;
const drawnAt = 2;

interface Section {
  readonly at: number;
  readonly length: number;
  /** Words of its exceptions and times. */
  readonly exceptions: number;
  readonly times: number;
}

/** Where the sections lie, by their headers. */
const sections: readonly Section[] = (() => {
  const found: Section[] = [];
  for (let at = 2; at < words.length;) {
    const header = [...words.subarray(at, at + headerWords)];
    const [text = 0, ...blocks] = header.slice(6, 12);
    const length = headerWords + Math.ceil(text / 4) + blocks.reduce((sum, block) => sum + block, 0);
    found.push({ at, length, exceptions: blocks[0] ?? 0, times: blocks[1] ?? 0 });
    at += length;
  }
  return found;
})();

/** One of so many, by the try. */
type Draw = (count: number) => number;

function joined(...parts: readonly (Uint32Array | readonly number[])[]): Uint32Array {
  return Uint32Array.from(parts.flatMap((part) => [...part]));
}

function sectionOf(draw: Draw): Section {
  const section = sections[draw(sections.length)];
  if (section === undefined) throw new Error('no such section');
  return section;
}

function changed(at: number, change: (word: number) => number): Uint32Array {
  const copy = words.slice();
  copy[at] = change(copy[at] ?? 0);
  return copy;
}

/** The file with one damage each; null where this try has none. */
const damages: Readonly<Record<string, (draw: Draw) => Uint32Array | null>> = {
  'cut short': (draw) => words.slice(0, 2 + draw(words.length - 2)),
  'without a word': (draw) => {
    const at = 2 + draw(words.length - 2);
    return joined(words.subarray(0, at), words.subarray(at + 1));
  },
  'with a word twice': (draw) => {
    const at = 2 + draw(words.length - 2);
    return joined(words.subarray(0, at), words.subarray(at - 1));
  },
  'without a session': (draw) => {
    const { at, length } = sectionOf(draw);
    return joined(words.subarray(0, at), words.subarray(at + length));
  },
  'with a session twice': (draw) => {
    const { at, length } = sectionOf(draw);
    return joined(words, words.subarray(at, at + length));
  },
  'with a session fewer in its headers': (draw) => changed(sectionOf(draw).at + 1, (count) => count - 1),
  'with an operation more drawn': (draw) => changed(sectionOf(draw).at + drawnAt, (drawn) => drawn + 1),
  'with an operation fewer drawn': (draw) => changed(sectionOf(draw).at + drawnAt, (drawn) => drawn - 1),
  'with another length of a part': (draw) =>
    changed(sectionOf(draw).at + 7 + draw(5), (length) => length + 1 + draw(3)),
  'without one of its exceptions': (draw) => {
    const { at, exceptions } = sectionOf(draw);
    if (exceptions === 0) return null;
    const from = at + exceptionsAt + 2 * draw(exceptions / 2);
    const copy = joined(words.subarray(0, from), words.subarray(from + 2));
    copy[at + 7] = exceptions - 2;
    return copy;
  },
  'with an exception twice': (draw) => {
    const { at, exceptions } = sectionOf(draw);
    if (exceptions === 0) return null;
    const from = at + exceptionsAt + 2 * draw(exceptions / 2);
    const copy = joined(words.subarray(0, from + 2), words.subarray(from));
    copy[at + 7] = exceptions + 2;
    return copy;
  },
  'with an exception of another operation': (draw) => {
    const { at, exceptions } = sectionOf(draw);
    const word = at + exceptionsAt + 2 * draw(exceptions / 2) + 1;
    return exceptions === 0 ? null : changed(word, (one) => one + 0x1_0000);
  },
  'with an exception back to front': (draw) => {
    const { at, exceptions } = sectionOf(draw);
    return exceptions === 0 ? null : swapped(at + exceptionsAt + 2 * draw(exceptions / 2));
  },
  'with an operation that settled before it was sent': (draw) => {
    const { at, exceptions, times } = sectionOf(draw);
    const from = at + headerWords + exceptions + 2 * draw(times / 2);
    return words[from + 1] === 0 ? null : swapped(from);
  },
};

function swapped(at: number): Uint32Array {
  const copy = words.slice();
  [copy[at], copy[at + 1]] = [copy[at + 1] ?? 0, copy[at] ?? 0];
  return copy;
}

/** What an audit says of such a file. */
async function auditOf(damaged: Uint32Array): Promise<string> {
  let logs: SessionOutcomes[];
  try {
    logs = parseOutcomeLog(new Uint8Array(damaged.buffer, damaged.byteOffset, damaged.byteLength));
  } catch {
    return 'refused';
  }
  const { signal } = new AbortController();
  const scan = (table: number) => pages(store, table, liar);
  const finding = await replayOutcomes({
    workload,
    logs,
    scan,
    signal,
    unwritten: new Set(),
    inDoubtShareMax: 1,
    reported,
  }).catch(() => null);
  return finding?.status ?? 'refused';
}

/** As an honest load client counts. */
function countsOf(all: readonly SessionOutcomes[]) {
  const kinds = all.flatMap(({ exceptions }) =>
    [...exceptions].flatMap((word, place) => (place % 2 === 0 ? [] : [(word >>> 8) & 0xff])),
  );
  const count = (...wanted: readonly number[]): number =>
    kinds.filter((kind) => wanted.includes(kind)).length;
  const drawn = all.reduce((total, one) => total + one.drawn, 0);
  return {
    applied: drawn - count(0, 1, 2),
    declined: count(0),
    faults: count(1, 2),
    inDoubt: count(2),
  };
}

test('the log passes as it is', async () => {
  expect(sections).toHaveLength(4);
  expect(sections.reduce((sum, { exceptions }) => sum + exceptions, 0)).toBeGreaterThan(20);
  expect(await auditOf(words)).toBe('passed');
});

test.each(Object.entries(damages))('a log %s is refused, or its trial is void', async (_, damage) => {
  let found = 0;
  for (let one = 0; one < tries; one += 1) {
    let drawn = 0;
    const draw: Draw = (count) => (mix32(1000 * one + (drawn += 1)) >>> 0) % count;
    const damaged = damage(draw);
    if (damaged === null) continue;
    found += 1;
    expect(['refused', 'failed'], `try ${one}`).toContain(await auditOf(damaged));
  }
  expect(found).toBeGreaterThan(tries / 10);
});
