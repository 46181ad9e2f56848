import { expect, test } from 'vitest';
import { applied, declined, refused } from '@fair-bench/contract';
import { decodeReply } from '../src/client.ts';
import { appliedText, encodeOutcome } from '../src/protocol.ts';

const decode = (status: number, text: string) => decodeReply(status, Buffer.from(text));

test('the common reply is the shared object, as 30 bytes', () => {
  expect(appliedText).toBe('{"kind":"applied","retries":0}');
  expect(decode(200, appliedText)).toBe(applied);
});

test('every outcome survives the wire', () => {
  const fault = refused('deadlock', 'gave up', 10);
  expect(decode(409, encodeOutcome(fault))).toEqual(fault);
  expect(decode(200, encodeOutcome({ ...applied, retries: 2 }))).toEqual({ kind: 'applied', retries: 2 });
  expect(decode(200, encodeOutcome(declined('same-account')))).toEqual(declined('same-account'));
});

test('what is no outcome, or another than its status says, leaves the operation in doubt', () => {
  const doubtful = { kind: 'fault', code: 'protocol-error', inDoubt: true };
  expect(decode(200, '')).toMatchObject(doubtful);
  expect(decode(200, '<html>')).toMatchObject(doubtful);
  expect(decode(200, '{"kind":"applied"}')).toMatchObject(doubtful);
  expect(decode(200, '{"kind":"applied","retries":0,"x":1}')).toMatchObject(doubtful);
  expect(decode(500, appliedText)).toMatchObject(doubtful);
  expect(decode(200, encodeOutcome(refused('deadlock', 'gave up')))).toMatchObject(doubtful);
});
