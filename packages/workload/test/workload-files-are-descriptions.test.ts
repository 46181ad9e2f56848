import { expect, test } from 'vitest';
import counter from '@fair-bench/workloads/counter';
import transfer from '@fair-bench/workloads/transfer';
import { defaultParameters, parseDescription, resolveWorkload, WorkloadError } from '../src/index.ts';

test('a workload file yields JSON that parses to itself', () => {
  for (const description of [transfer, counter]) {
    expect(parseDescription(JSON.parse(JSON.stringify(description)), 'plan')).toEqual(description);
  }
});

test('parameters are put into a description', () => {
  const workload = resolveWorkload(transfer, { ...defaultParameters(transfer), accounts: 7 });
  expect(workload.tables[0]).toMatchObject({ name: 'account', rows: 7, keyColumns: 1, written: true });
  expect(workload.operations[0]?.reasons).toEqual([
    'non-positive-amount',
    'same-account',
    'missing-account',
    'insufficient-funds',
  ]);
});

test('a wrong parameter is named with what it accepts', () => {
  const parameters = { ...defaultParameters(transfer), alpha: 33, scramble: 'yes' };
  expect(() => resolveWorkload(transfer, parameters)).toThrow(WorkloadError);
  expect(() => resolveWorkload(transfer, parameters)).toThrow(
    /parameters\/alpha: .*32\n.*parameters\/scramble: .*boolean/,
  );
});
