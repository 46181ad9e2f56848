import { expect, test } from 'vitest';
import {
  countersPerBlock,
  declinedIndex,
  faultIndex,
  kindCounts,
  mergeCounts,
  toOutcomeCounts,
} from '../src/counts.ts';

test('a block of counters says what was added to it', () => {
  const block = new Float64Array(countersPerBlock);
  block[0] = 5;
  block[declinedIndex('same-account')] = 2;
  block[faultIndex('timeout')] = 3;
  block[faultIndex('internal')] = 1;

  expect(kindCounts(block)).toEqual({ applied: 5, declined: 2, faults: 4 });
  expect(toOutcomeCounts(block)).toEqual({
    applied: 5,
    declined: { 'same-account': 2 },
    faults: { timeout: 3, internal: 1 },
    retries: 0,
    inDoubt: 0,
  });
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
