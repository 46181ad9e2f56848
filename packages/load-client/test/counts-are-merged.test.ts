import { expect, test } from 'vitest';
import { Counters, mergeCounts } from '../src/counts.ts';
import { parsePlanned } from '@fair-bench/workload';
import { numberedWorkload } from './doubles/numbered-workload.ts';

test('a block of counters reports what was added to it, by operation and in total', () => {
  const counters = new Counters(parsePlanned(numberedWorkload({ reads: 1 }), 'numbered'));
  const block = new Float64Array(counters.length);
  block[counters.appliedIndex(0)] = 5;
  block[counters.appliedIndex(1)] = 6;
  block[counters.declinedIndex(0, 'not-there')] = 2;
  block[counters.declinedIndex(1, 'not-there')] = 1;
  block[counters.faultIndex(0, 'timeout')] = 3;
  block[counters.faultIndex(1, 'internal')] = 1;

  expect(counters.kindCounts(block)).toEqual({ applied: 11, declined: 3, faults: 4 });
  expect(counters.operationCounts(block, 0)).toEqual({ applied: 5, declined: 2, faults: 3 });
  expect(counters.operationCounts(block, 1)).toEqual({ applied: 6, declined: 1, faults: 1 });
  expect(counters.outcomeCounts(block)).toEqual({
    applied: 11,
    declined: { 'not-there': 3 },
    faults: { timeout: 3, internal: 1 },
    retries: 0,
    inDoubt: 0,
  });
  expect(() => counters.declinedIndex(0, 'invented')).toThrow('unknown decline reason, "invented"');
});

test('merged counts are the sums by reason and code', () => {
  const first = {
    applied: 1,
    declined: { 'same-account': 1 },
    faults: { timeout: 2 },
    retries: 3,
    inDoubt: 2,
  };
  const second = { applied: 10, declined: {}, faults: { timeout: 1, deadlock: 4 }, retries: 0, inDoubt: 1 };

  expect(mergeCounts([first, second])).toEqual({
    applied: 11,
    declined: { 'same-account': 1 },
    faults: { timeout: 3, deadlock: 4 },
    retries: 3,
    inDoubt: 3,
  });
  expect(mergeCounts([])).toEqual({ applied: 0, declined: {}, faults: {}, retries: 0, inDoubt: 0 });
});
