import counter from '@fair-bench/workloads/counter';
import transfer from '@fair-bench/workloads/transfer';
import { expect, test } from 'vitest';
import {
  add,
  defaultParameters,
  defineWorkload,
  each,
  int64,
  key,
  list,
  resolveWorkload,
  row,
  rowsWrittenMax,
  table,
  uniform,
  type WorkloadDescription,
} from '../src/index.ts';
import { everyRule } from './replay/every-rule.ts';
import { order, pointRead, ycsb } from './paper.ts';

const writtenMax = (description: WorkloadDescription, parameters: object = {}): Record<string, number> => {
  const workload = resolveWorkload(description, { ...defaultParameters(description), ...parameters });
  const most = rowsWrittenMax(workload);
  return Object.fromEntries(workload.tables.map(({ name, number }) => [name, most[number] ?? 0]));
};

/** The list is in the second column of its key. */
const board = defineWorkload({
  name: 'board',
  parameters: {},
  tables: { cell: table({ rows: [4, 6], key: ['line', 'at'], columns: { marks: int64(0) } }) },
  operations: {
    mark: {
      arguments: {
        line: key('cell.line', uniform()),
        cells: list(uniform(1, 3), { at: key(uniform(0, 5)) }),
      },
      rows: { c: row('cell', ['line', 'cells.at']) },
      effects: [each('cells', add('c.marks', 1))],
    },
  },
});

test('the most rows of each table that one operation writes follow from its effects', () => {
  expect(writtenMax(transfer)).toEqual({ account: 2 });
  expect(writtenMax(counter)).toEqual({ counter: 1, message: 1 });
  // A list has as many rows as it may have records.
  expect(writtenMax(order)).toEqual({ stock: 5, customer: 0, order: 1, line: 5 });
  expect(writtenMax(order, { linesMax: 3 })).toMatchObject({ order: 1, line: 3 });
  expect(writtenMax(board)).toEqual({ cell: 3 });
  // A row that only a rule reads is not written.
  expect(writtenMax(everyRule)).toEqual({ shelf: 3, slot: 1, sale: 1 });
  // Reads write none, and neither do operations that are never drawn.
  expect(Object.values(writtenMax(pointRead))).toEqual([0]);
  expect(Object.values(writtenMax(ycsb, { mix: 'a' }))).toEqual([1]);
  expect(Object.values(writtenMax(ycsb, { mix: 'c' }))).toEqual([0]);
});
