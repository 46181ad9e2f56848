import { expect, test } from 'vitest';
import { applied, declined, inDoubt, refused, type Outcome } from '@fair-bench/contract';
import { createTransact } from '../src/server/transfer.ts';

/** A double of a backend: gives the outcomes in turn, the last one again and again. */
function scripted(...outcomes: readonly (Outcome | Error)[]) {
  let calls = 0;
  return {
    calls: () => calls,
    transfer: async (): Promise<Outcome> => {
      const outcome = outcomes[Math.min(calls, outcomes.length - 1)] ?? applied;
      calls += 1;
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    settings: async () => ({}),
    recycle: async () => {},
    close: async () => {},
  };
}

const request = { source: 1, target: 2, amount: '5' };
const failure = refused('serialization-failure', 'collided');

test('an attempt that collided is made again, and counted', async () => {
  const backend = scripted(failure, refused('deadlock', 'collided'), applied);
  expect(await createTransact(backend, 10)(request)).toEqual({ kind: 'applied', retries: 2 });
  expect(backend.calls()).toBe(3);
});

test('attempts end at the most retries', async () => {
  const backend = scripted(failure);
  expect(await createTransact(backend, 3)(request)).toEqual({ ...failure, retries: 3 });
  expect(backend.calls()).toBe(4);
});

test('what is in doubt is never attempted again', async () => {
  const backend = scripted(inDoubt('serialization-failure', 'lost on commit'));
  expect(await createTransact(backend, 10)(request)).toMatchObject({ inDoubt: true, retries: 0 });
  expect(backend.calls()).toBe(1);
});

test('a backend that throws leaves the operation in doubt and shows nothing of its error', async () => {
  const outcome = await createTransact(scripted(new Error('secret')), 10)(request);
  expect(outcome).toMatchObject({ kind: 'fault', code: 'server-error', inDoubt: true });
  expect(JSON.stringify(outcome)).not.toContain('secret');
});

test('the checks that need no data come first, in the fixed order', async () => {
  const backend = scripted(applied);
  const transact = createTransact(backend, 0);
  expect(await transact({ source: 1, target: 1, amount: '0' })).toBe(declined('non-positive-amount'));
  expect(await transact({ source: 1, target: 2, amount: '-9223372036854775808' })).toBe(
    declined('non-positive-amount'),
  );
  expect(await transact({ source: 1, target: 1, amount: '5' })).toBe(declined('same-account'));
  for (const amount of ['9223372036854775808', '-9223372036854775809', '9'.repeat(40)]) {
    expect(await transact({ source: 1, target: 1, amount })).toMatchObject({ code: 'invalid-request' });
  }
  expect(backend.calls()).toBe(0);
  expect(await transact({ source: 1, target: 2, amount: '9223372036854775807' })).toBe(applied);
});
