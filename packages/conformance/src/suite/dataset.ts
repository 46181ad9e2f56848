import { expect, test } from 'vitest';
import { applied } from '@fair-bench/contract';
import { type Fixture, pump } from './fixture.ts';

export function testDataset(fixture: Fixture): void {
  test('seeding again leaves exactly the dataset, whatever was there', async ({ skip }) => {
    const target = fixture.target(skip);
    const initial = Array.from({ length: 1_000 }, () => 1_000_000_000n);
    await target.seed(1_500, 7n);
    await target.seed(1_000, 1_000_000_000n);
    expect(await target.balances()).toEqual(initial);
    await target.withSession((session) => session.execute({ source: 1, target: 2, amount: 5n }));
    await target.seed(1_000, 1_000_000_000n);
    await target.seed(1_000, 1_000_000_000n);
    expect(await target.balances()).toEqual(initial);
  });

  test('an acknowledged transfer is visible to a fresh connection at once', async ({ skip }) => {
    const target = fixture.target(skip);
    await target.seed(2, 100n);
    await target.withSession(async (session) => {
      for (let moved = 1n; moved <= 20n; moved += 1n) {
        expect(await session.execute({ source: 0, target: 1, amount: 1n })).toEqual(applied);
        expect(await target.balances()).toEqual([100n - moved, 100n + moved]);
      }
    });
  });

  test('acknowledgements do not run ahead of what a fresh connection can see', async ({ skip }) => {
    const target = fixture.target(skip);
    await target.seed(2, 1_000n);
    await target.withSession(async (session) => {
      // A session that acknowledges what is still on its way has nearly all of these on their way in the end.
      for (let sent = 0; sent < 200; sent += 1) {
        expect(await session.execute({ source: 0, target: 1, amount: 1n })).toEqual(applied);
      }
      expect(await target.balances()).toEqual([800n, 1_200n]);
    });
  });

  test('opposite concurrent transfers on a hot pair all end without a fault, and add up', async ({
    skip,
  }) => {
    const target = fixture.target(skip);
    await target.seed(2, 1_000n);
    const outcomes = await target.withSessions(8, 4, (sessions) =>
      pump(sessions, {
        depth: 4,
        count: 24,
        // Half of the sessions send 3 one way, the others 1 the other.
        next: (session) =>
          session % 2 === 0 ? { source: 0, target: 1, amount: 3n } : { source: 1, target: 0, amount: 1n },
      }),
    );
    expect(outcomes.filter(({ kind }) => kind === 'fault')).toEqual([]);
    const [first = 0n, second = 0n] = await target.balances();
    expect(first + second, 'money is neither made nor lost').toBe(2_000n);
    expect(outcomes).toHaveLength(8 * 24);
    // 96 transfers of 3 and 96 of 1: funds suffice for all of them, in whatever order they come.
    expect(outcomes.every(({ kind }) => kind === 'applied')).toBe(true);
    expect(first).toBe(1_000n - 96n * 3n + 96n);
  });
}
