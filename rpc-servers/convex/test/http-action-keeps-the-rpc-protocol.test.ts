import { expect, test } from 'vitest';
import { outcomeSchema } from '@fair-bench/contract';
import { testedFunctions } from '../src/test-support/index.ts';
import { balances, seed } from './dataset.ts';

const functions = testedFunctions();
await seed(functions, 3, 100n);

async function post(body: string): Promise<{ status: number; text: string }> {
  const response = await functions.fetch('/transfer', { method: 'POST', body });
  return { status: response.status, text: await response.text() };
}

test('an applied transfer is answered by the 30 bytes that every server says', async () => {
  expect(await post('{"source":0,"target":1,"amount":"40"}')).toEqual({
    status: 200,
    text: '{"kind":"applied","retries":0}',
  });
  expect(await balances(functions)).toEqual([60n, 140n, 100n]);
});

test.for([
  ['{"source":0,"target":1,"amount":"61"}', 'insufficient-funds'],
  ['{"source":0,"target":9,"amount":"61"}', 'missing-account'],
  ['{"source":9,"target":9,"amount":"61"}', 'same-account'],
  ['{"source":9,"target":9,"amount":"-9223372036854775808"}', 'non-positive-amount'],
] as const)('%s is declined: %s', async ([body, reason]) => {
  const { status, text } = await post(body);
  expect(status).toBe(200);
  expect(JSON.parse(text)).toEqual({ kind: 'declined', reason, retries: 0 });
});

test.for([
  '',
  'null',
  '[0,1,"5"]',
  '{"source":0,"target":1}',
  '{"source":0,"target":1,"amount":5}',
  '{"source":0,"target":1,"amount":"5.0"}',
  '{"source":0,"target":1,"amount":"9223372036854775808"}',
  '{"source":0,"target":1,"amount":"-9223372036854775809"}',
  '{"source":0,"target":1,"amount":"5","note":"x"}',
  '{"source":-1,"target":1,"amount":"5"}',
  '{"source":0.5,"target":1,"amount":"5"}',
  '{"source":"0","target":1,"amount":"5"}',
  '{"source":0,"target":4294967296,"amount":"5"}',
  `{"source":0,"target":1,"amount":"5"${' '.repeat(20_000)}}`,
])('%s is refused in type, and changes nothing', async (body) => {
  const before = await balances(functions);
  const { status, text } = await post(body);
  expect(status).toBe(400);
  expect(outcomeSchema.parse(JSON.parse(text))).toMatchObject({
    kind: 'fault',
    code: 'invalid-request',
    inDoubt: false,
  });
  expect(await balances(functions)).toEqual(before);
});

test('health is answered, and no other path', async () => {
  const health = await functions.fetch('/health');
  expect([health.status, await health.text()]).toEqual([200, '{"status":"ok"}']);
  expect((await functions.fetch('/transfer')).status).toBe(404);
});
