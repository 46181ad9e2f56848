import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bufferedWrites, type Entry, type Reads } from '../src/index.ts';
import { useEngine } from '../src/opened.ts';
import type { EngineSystem } from '../src/system.ts';
import { Turns } from '../src/turns.ts';

const bytes = (...all: number[]): Uint8Array => Uint8Array.from(all);

function stored(...keys: number[]): Reads {
  const entries = keys.map((key): Entry => [bytes(key), bytes(key, 0)]);
  return {
    get: (key) => entries.find(([own]) => Buffer.compare(own, key) === 0)?.[1],
    range: ({ reverse, limit }) => (reverse ? entries.toReversed() : entries).slice(0, limit),
  };
}

test('what a transaction has written and removed is what it reads, in order and up to the limit', async () => {
  const writes = bufferedWrites(stored(1, 3, 5));
  writes.put(bytes(2), bytes(2, 1));
  writes.put(bytes(3), bytes(3, 1));
  writes.remove(bytes(1));
  expect([1, 2, 3, 4, 5].map((key) => writes.get(bytes(key))?.[1])).toEqual([undefined, 1, 1, undefined, 0]);
  const whole = { from: bytes(0), until: bytes(9), limit: 2 };
  const [up, down] = await Promise.all(
    [false, true].map(async (reverse) => await writes.range({ ...whole, reverse })),
  );
  expect(up?.map(([, value]) => [...value])).toEqual([
    [2, 1],
    [3, 1],
  ]);
  expect(down?.map(([, value]) => [...value])).toEqual([
    [5, 0],
    [3, 1],
  ]);
  expect(writes.changes.map(({ type }) => type)).toEqual(['put', 'put', 'del']);
});

test('what a transaction has written outside of a range leaves the range as it is, up to its limit', async () => {
  const writes = bufferedWrites(stored(1, 3, 5));
  writes.put(bytes(100), bytes(100, 1));
  const found = await writes.range({ from: bytes(0), until: bytes(9), limit: 2, reverse: false });
  expect(found.map(([key]) => [...key])).toEqual([[1], [3]]);
});

test('an engine is opened once for all its users in a thread, and closed with the last of them', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'fair-bench-engine-'));
  const events: string[] = [];
  const system: EngineSystem = {
    name: 'double',
    title: 'Double',
    version: () => Promise.resolve('1'),
    open: () => {
      events.push('open');
      return Promise.resolve({
        ...stored(1),
        transact: (act) => act(bufferedWrites(stored(1))),
        atOneMoment: (act) => act(stored(1)),
        settings: () => ({}),
        close: () => void events.push('close'),
      });
    },
    isShared: false,
    durabilityOf: () => 'none',
    fairProfile: [],
  };
  const use = async () => await useEngine(system, folder.path, { durability: 'durable', cacheMb: 0 });
  const [one, other] = await Promise.all([use(), use()]);
  expect(one.engine).toBe(other.engine);
  await one[Symbol.asyncDispose]();
  await one[Symbol.asyncDispose]();
  expect(events).toEqual(['open']);
  await other[Symbol.asyncDispose]();
  const again = await use();
  await again[Symbol.asyncDispose]();
  expect(events).toEqual(['open', 'close', 'open', 'close']);
});

test('the event loop turns although operations never wait', async () => {
  const turns = new Turns();
  let turned = 0;
  const timer = setInterval(() => (turned += 1), 1);
  for (const endMs = performance.now() + 60; performance.now() < endMs;) {
    if (turns.due !== null) await turns.due;
    turns.passed(false);
    // A resolved promise alone does not turn it.
    await Promise.resolve();
  }
  clearInterval(timer);
  expect(turned).toBeGreaterThan(3);
});
