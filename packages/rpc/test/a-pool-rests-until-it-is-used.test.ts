import { applied } from '@fair-bench/contract';
import { expect, test } from 'vitest';
import { ownPool, PooledBackend } from '../src/server/index.ts';

/** A double of a database: counts the connections that are open, and the sizes of the pools that were opened. */
async function openedOn(size: number) {
  const sizes: number[] = [];
  const seen = { sizes, open: 0, isDown: false };
  const backend = await PooledBackend.open<object>(
    {
      async openPool(wanted) {
        if (seen.isDown) throw new Error('nobody listens');
        seen.sizes.push(wanted);
        seen.open += wanted;
        return await ownPool(
          wanted,
          () => Promise.resolve({}),
          () => void (seen.open -= 1),
        );
      },
      bind: () => () => applied,
      settings: () => Promise.resolve({ fsync: 'on' }),
      faults: { codeOf: () => null, refused: {}, rolledBack: () => false },
    },
    size,
  );
  return { backend, seen };
}

test('after the start one connection was tried and none is open; the first use opens all', async () => {
  const { backend, seen } = await openedOn(4);
  expect(seen).toMatchObject({ sizes: [1], open: 0 });
  expect(await backend.execute(0, [])).toEqual(applied);
  expect(seen).toMatchObject({ sizes: [1, 4], open: 4 });
});

test('a rest before the first use keeps the size, and many uses at once open the pool once', async () => {
  const { backend, seen } = await openedOn(4);
  await backend.recycle(0);
  await Promise.all(Array.from({ length: 20 }, async () => await backend.execute(0, [])));
  expect(seen).toMatchObject({ sizes: [1, 4], open: 4 });
  await backend.recycle(6);
  await backend.recycle(0);
  expect(seen.open).toBe(0);
  await backend.execute(0, []);
  expect(seen.open).toBe(6);
});

test('settings are read on one connection while it rests', async () => {
  const { backend, seen } = await openedOn(4);
  expect(await backend.settings()).toEqual({ fsync: 'on' });
  expect(seen).toMatchObject({ sizes: [1, 1], open: 0 });
});

test('where opening fails the use has a fault, and the next one tries again', async () => {
  const { backend, seen } = await openedOn(4);
  seen.isDown = true;
  expect(await backend.execute(0, [])).toMatchObject({ kind: 'fault' });
  seen.isDown = false;
  expect(await backend.execute(0, [])).toEqual(applied);
});
