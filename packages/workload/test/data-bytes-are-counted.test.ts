import { expect, test } from 'vitest';
import { dataBytesOf, defaultParameters, resolveWorkload } from '../src/index.ts';
import cart from '../../../workloads/cart/workload.ts';
import transfer from '../../../workloads/transfer/workload.ts';
import ycsb from '../../../workloads/ycsb/workload.ts';

test('a set writes its column and the key, whichever of ten columns of one width it chooses; an insert its row', () => {
  const workload = resolveWorkload(ycsb, { ...defaultParameters(ycsb), records: 1000 });
  const { seeded, operations } = dataBytesOf(workload);
  // A key, ten fields of 100 characters, and a counter of 8 bytes.
  const row = 4 + 10 * 100 + 8;
  expect(seeded).toBe(1000 * row);
  const byName = Object.fromEntries(
    workload.operations.map(({ name, number }) => [name, operations[number]]),
  );
  expect(byName).toMatchObject({
    read: { written: 0, grown: 0 },
    update: { written: 4 + 100, grown: 0 },
    insert: { written: row, grown: row },
    rmw: { written: 4 + 100 + 4 + 8, grown: 0 },
  });
});

test('a transfer writes two balances', () => {
  const workload = resolveWorkload(transfer, { ...defaultParameters(transfer), accounts: 10 });
  const { seeded, operations } = dataBytesOf(workload);
  expect(seeded).toBe(10 * (4 + 8));
  expect(operations[0]).toEqual({ written: 2 * (4 + 8), grown: 0 });
});

test('what an upsert writes depends on whether its row is there: it is not known', () => {
  const workload = resolveWorkload(cart, defaultParameters(cart));
  const upsert = workload.operations.find(({ description }) =>
    description.effects.some((effect) => effect.kind === 'insert' && 'ifMissing' in effect),
  );
  expect(upsert).toBeDefined();
  expect(dataBytesOf(workload).operations[upsert?.number ?? 0]).toBeNull();
});
