import counter from '@fair-bench/workloads/counter';
import transfer from '@fair-bench/workloads/transfer';
import { expect, test } from 'vitest';
import {
  defaultParameters,
  resolveWorkload,
  rowsWrittenMax,
  type WorkloadDescription,
} from '../src/index.ts';
import { order, pointRead, ycsb } from './paper.ts';

const writtenMax = (description: WorkloadDescription, parameters: object = {}): Record<string, number> => {
  const workload = resolveWorkload(description, { ...defaultParameters(description), ...parameters });
  const most = rowsWrittenMax(workload);
  return Object.fromEntries(workload.tables.map(({ name, number }) => [name, most[number] ?? 0]));
};

test('the most rows of each table that one operation writes follow from its effects', () => {
  expect(writtenMax(transfer)).toEqual({ account: 2 });
  expect(writtenMax(counter)).toEqual({ counter: 1, message: 1 });
  // A list has as many rows as it may have records.
  expect(writtenMax(order)).toMatchObject({ order: 1, line: 5 });
  expect(writtenMax(order, { linesMax: 3 })).toMatchObject({ order: 1, line: 3 });
  // Reads write none, and neither do operations that are never drawn.
  expect(Object.values(writtenMax(pointRead))).toEqual([0]);
  expect(Object.values(writtenMax(ycsb, { mix: 'a' }))).toEqual([1]);
  expect(Object.values(writtenMax(ycsb, { mix: 'c' }))).toEqual([0]);
});
