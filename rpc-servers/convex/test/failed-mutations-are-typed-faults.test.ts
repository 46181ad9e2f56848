import { expect, test } from 'vitest';
import { faultSchema } from '@fair-bench/contract';
import { operationHandler } from '../src/functions/endpoint.ts';
import { shapes } from './dataset.ts';

const [transfer] = shapes.transfer.operations;

// A double of an HTTP action's context: its mutations fail with Convex's messages.
function doubleOfContext(message: string) {
  return { runMutation: () => Promise.reject(new Error(message)) };
}

test.for([
  ['TooManyConcurrentRequests', 503, { code: 'overloaded', inDoubt: false }],
  [
    'Documents read from or written to the "accounts" table changed while this mutation was being run and on every subsequent retry',
    409,
    { code: 'serialization-failure', inDoubt: false },
  ],
  ['Server Error', 500, { code: 'server-error', inDoubt: true }],
] as const)('%s is answered with status %i', async ([message, status, fault]) => {
  const body = '{"source":0,"target":1,"amount":"5"}';
  const request = new Request('http://convex.invalid/transfer', { method: 'POST', body });
  if (transfer === undefined) throw new Error('the workload has no operation');
  const response = await operationHandler(shapes.transfer, transfer)(doubleOfContext(message), request);
  expect(response.status).toBe(status);
  expect(faultSchema.parse(await response.json())).toMatchObject({ kind: 'fault', ...fault });
});
