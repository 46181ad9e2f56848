import { expect, test } from 'vitest';
import { faultSchema } from '@fair-bench/contract';
import { accounts, balances, functionsOf, seed } from './dataset.ts';

const functions = await accounts(3, 100n);

async function post(body: string): Promise<{ status: number; text: string }> {
  const response = await functions.fetch('/transfer', { method: 'POST', body });
  return { status: response.status, text: await response.text() };
}

test('an applied transfer is answered by the same 30 bytes as on every server', async () => {
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
])('%s is refused in type, and changes nothing', async (body) => {
  const before = await balances(functions);
  const { status, text } = await post(body);
  expect(status).toBe(400);
  expect(faultSchema.parse(JSON.parse(text))).toMatchObject({
    kind: 'fault',
    code: 'invalid-request',
    inDoubt: false,
  });
  expect(await balances(functions)).toEqual(before);
});

test('a body that is too large is refused in type', async () => {
  const { status, text } = await post(`{"source":0,"target":1,"amount":"5"${' '.repeat(2_000_000)}}`);
  expect([status, JSON.parse(text)]).toMatchObject([400, { message: 'the body is too large' }]);
});

test('health is answered, and no other path', async () => {
  const health = await functions.fetch('/health');
  expect([health.status, await health.text()]).toEqual([200, '{"status":"ok"}']);
  expect((await functions.fetch('/transfer')).status).toBe(404);
});

test('rows come back as JSON in declared order', async () => {
  const counters = functionsOf('counter');
  await seed(counters, 'counter', [[7, '41']]);
  const call = async (path: string, body: string): Promise<string> =>
    await (await counters.fetch(path, { method: 'POST', body })).text();
  expect(await call('/increment', '{"counter":7}')).toBe('{"kind":"applied","retries":0}');
  expect(JSON.parse(await call('/counter', '{"counter":7}'))).toEqual({
    kind: 'applied',
    reply: { rows: [[7, '42']] },
    retries: 0,
  });
  for (const id of ['5', '-1', '9223372036854775807']) {
    await call('/message', `{"id":"${id}","sender":1,"channel":2,"body":"x${id}"}`);
  }
  expect(JSON.parse(await call('/messages', '{"limit":2}'))).toMatchObject({
    reply: {
      rows: [
        ['9223372036854775807', 1, 2, 'x9223372036854775807'],
        ['5', 1, 2, 'x5'],
      ],
    },
  });
  const again = await call('/message', '{"id":"5","sender":1,"channel":2,"body":"other"}');
  expect(JSON.parse(again)).toMatchObject({ kind: 'fault', code: 'server-error' });
});
