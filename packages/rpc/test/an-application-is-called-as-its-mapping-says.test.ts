import {
  applicationSchema,
  type OperationOutcome,
  type Values,
  type WorkloadShape,
} from '@fair-bench/contract';
import { describe, expect, test } from 'vitest';
import { applicationCall } from '../src/application/call.ts';

const workload: WorkloadShape = {
  name: 'shop',
  tables: [
    {
      name: 'item',
      columns: [
        { name: 'id', type: { kind: 'key' } },
        { name: 'price', type: { kind: 'int64' } },
      ],
      keyColumns: 1,
      indexes: [],
      written: true,
    },
  ],
  operations: [
    {
      name: 'place',
      arguments: [
        { kind: 'scalar', name: 'customer', type: { kind: 'key' } },
        { kind: 'scalar', name: 'note', type: { kind: 'text', length: 20 } },
        {
          kind: 'list',
          name: 'lines',
          max: 2,
          fields: [
            { name: 'item', type: { kind: 'key' } },
            { name: 'quantity', type: { kind: 'int64' } },
          ],
        },
      ],
      reasons: ['out-of-stock'],
      returns: { kind: 'fields', fields: [{ name: 'total', type: { kind: 'int64' } }] },
      writes: true,
    },
    {
      name: 'items',
      arguments: [{ kind: 'scalar', name: 'cheapest', type: { kind: 'int64' } }],
      reasons: [],
      returns: { kind: 'rows', table: 0 },
      writes: false,
    },
  ],
};

function callOf(number: number, mapping: unknown) {
  const operation = workload.operations[number];
  if (operation === undefined) throw new Error(`no operation ${number}`);
  const { operations } = applicationSchema.parse({ command: 'x', operations: { [operation.name]: mapping } });
  return applicationCall(workload, operation, operations[operation.name]);
}

const lines = {
  length: 2,
  fields: [
    [7, 8],
    [1n, 2n ** 60n],
  ],
};
const order: Values = [3, 'a/b', lines];

const said = (outcome: OperationOutcome): string =>
  outcome.kind === 'fault' ? `${outcome.code}${outcome.inDoubt ? '?' : ''}` : outcome.kind;

describe('a request', () => {
  test('has each argument once: in the path, or in the body under its name', () => {
    const call = callOf(0, 'POST /customers/{customer}/orders/{note}');
    expect(call.lineOf?.(order)).toEqual({ method: 'POST', path: '/customers/3/orders/a%2Fb' });
    expect(JSON.parse(call.encode(order))).toEqual({
      lines: [
        { item: 7, quantity: 1 },
        // Beyond what a number of JSON holds.
        { item: 8, quantity: String(2n ** 60n) },
      ],
    });
  });

  test('of a GET has them in its query, and no body', () => {
    const call = callOf(1, { request: 'GET /items', body: { min: 'cheapest' } });
    expect(call.lineOf?.([5n])).toEqual({ method: 'GET', path: '/items?min=5' });
    expect(call.encode([5n])).toBe('');
  });

  test('has no place for a list but in a body', () => {
    expect(() => callOf(0, 'POST /orders/{lines}')).toThrow('lines is a list');
    expect(() => callOf(0, 'GET /orders')).toThrow('lines is a list');
  });

  test('names an argument that the operation has not', () => {
    expect(() => callOf(0, 'POST /orders/{id}')).toThrow(
      'app.operations.place.request: got "id"; accepts customer, note, lines',
    );
    expect(() => callOf(0, { request: 'POST /orders', body: { who: 'buyer' } })).toThrow(
      'app.operations.place.body: got "buyer"',
    );
    const [operation] = workload.operations;
    if (operation === undefined) throw new Error('no operation');
    expect(() => applicationCall(workload, operation, undefined)).toThrow('app.operations: got no place');
  });
});

describe('a reply', () => {
  const place = {
    request: 'POST /orders',
    reply: { total: 'order.total' },
    reason: 'error.code',
    reasons: { SOLD_OUT: 'out-of-stock' },
  };
  const replied = (status: number, body: unknown, number = 0, mapping: unknown = place): OperationOutcome =>
    callOf(number, mapping).outcome(
      status,
      Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    );

  test('of 2xx is applied, with what it returns at its places', () => {
    expect(replied(201, { order: { total: 12 } })).toEqual({
      kind: 'applied',
      reply: { kind: 'fields', fields: [12n] },
      retries: 0,
    });
    expect(replied(200, { order: { total: '9223372036854775807' } })).toMatchObject({
      reply: { fields: [2n ** 63n - 1n] },
    });
    expect(
      replied(200, { data: [{ id: 1, price: 2 }] }, 1, { request: 'GET /items', rows: 'data' }),
    ).toMatchObject({
      reply: { kind: 'rows', rows: [[1, 2n]] },
    });
  });

  test('of 2xx without it leaves the operation in doubt', () => {
    for (const body of [{}, { order: {} }, { order: { total: 1.5 } }, 'no JSON'])
      expect(said(replied(200, body))).toBe('protocol-error?');
  });

  test('of 4xx is declined for a reason of the operation, and refused otherwise', () => {
    expect(replied(409, { error: { code: 'SOLD_OUT' } })).toMatchObject({
      kind: 'declined',
      reason: 'out-of-stock',
    });
    expect(replied(409, { error: { code: 'out-of-stock' } })).toMatchObject({ kind: 'declined' });
    for (const body of [{ error: { code: 'other' } }, {}, 'no JSON'])
      expect(said(replied(409, body))).toBe('invalid-request');
    expect(said(replied(429, {}))).toBe('overloaded');
  });

  test('of 3xx, 408 and 5xx leaves it in doubt, whatever it says', () => {
    for (const status of [303, 408, 503])
      expect(said(replied(status, { error: { code: 'SOLD_OUT' } }))).toBe('server-error?');
    expect(said(replied(500, { error: { code: 'SOLD_OUT' } }))).toBe('server-error?');
  });
});
