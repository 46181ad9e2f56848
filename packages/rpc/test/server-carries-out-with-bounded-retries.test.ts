import { expect, test } from 'vitest';
import { applied, inDoubt, refused, type OperationOutcome } from '@fair-bench/contract';
import { codecsOf } from '../src/codec/codec.ts';
import { createCarryOut } from '../src/server/carry-out.ts';
import { shape } from './support.ts';

/** A double of a backend: gives the outcomes in turn, and then repeats the last one. */
function scripted(...outcomes: readonly (OperationOutcome | Error)[]) {
  let calls = 0;
  return {
    calls: () => calls,
    execute: async (): Promise<OperationOutcome> => {
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

function carryOut(backend: ReturnType<typeof scripted>, retriesMax: number, body: object = request) {
  const [codec] = codecsOf(shape);
  if (codec === undefined) throw new Error('no operation');
  return createCarryOut(backend, 0, codec, retriesMax)(body);
}

const request = { source: 1, target: 2, amount: '5' };
const failure = refused('serialization-failure', 'collided');

test('a collided attempt is repeated and counted', async () => {
  const backend = scripted(failure, refused('deadlock', 'collided'), applied);
  expect(await carryOut(backend, 10)).toEqual({ ...applied, retries: 2 });
  expect(backend.calls()).toBe(3);
});

test('attempts end at the maximal number of retries', async () => {
  const backend = scripted(failure);
  expect(await carryOut(backend, 3)).toEqual({ ...failure, retries: 3 });
  expect(backend.calls()).toBe(4);
});

test('what is in doubt is never attempted again', async () => {
  const backend = scripted(inDoubt('serialization-failure', 'lost on commit'));
  expect(await carryOut(backend, 10)).toMatchObject({ inDoubt: true, retries: 0 });
  expect(backend.calls()).toBe(1);
});

test('a backend that throws leaves the operation in doubt and shows nothing of its error', async () => {
  const outcome = await carryOut(scripted(new Error('secret')), 10);
  expect(outcome).toMatchObject({ kind: 'fault', code: 'server-error', inDoubt: true });
  expect(JSON.stringify(outcome)).not.toContain('secret');
});

test('an integer beyond 64 bits is refused before it reaches the backend', async () => {
  const backend = scripted(applied);
  for (const amount of ['9223372036854775808', '-9223372036854775809', '9'.repeat(40)]) {
    expect(await carryOut(backend, 0, { ...request, amount })).toMatchObject({ code: 'invalid-request' });
  }
  expect(backend.calls()).toBe(0);
  for (const amount of ['9223372036854775807', '-9223372036854775808', '-0']) {
    expect(await carryOut(backend, 0, { ...request, amount })).toBe(applied);
  }
});
