import { describe, expect, test } from 'vitest';
import type { TrialEvidence } from '../src/audit/evidence.ts';
import { judge } from '../src/audit/judge.ts';
import { soundEvidence, soundResult } from '../src/test-support/evidence.ts';

/** 12,000 applied operations in 1,200 batches of ten: five sessions have 50 operations outstanding. */
const batched: TrialEvidence = {
  ...soundEvidence,
  cell: { ...soundEvidence.cell, sessions: 5, batch: 10 },
  countersAfter: { ...soundEvidence.countersAfter, commits: 1_310 },
  observed: {
    ...soundEvidence.observed,
    committedAtWindowBegin: { count: 195, readMs: 2 },
    committedAtWindowEnd: { count: 1_200, readMs: 2 },
    committedAtOrderedEnd: { count: 1_200, readMs: 2 },
    committedAfterTrial: 1_206,
    lastWriters: {
      readings: 3,
      subtransactionsMost: 0,
      tables: [{ name: 'account', rowsMost: 20, rowsOfOperationMax: 2 }],
    },
  },
};

const verdictOf = (change: Partial<TrialEvidence> = {}): string[] =>
  judge({ ...batched, ...change }).map(({ severity, code }) => `${severity}: ${code}`);
const counted = (commits: number): Partial<TrialEvidence> => ({
  countersAfter: { ...batched.countersAfter, commits },
});
const seen = (observed: Partial<TrialEvidence['observed']>): Partial<TrialEvidence> => ({
  observed: { ...batched.observed, ...observed },
});
const rowsOf = (rowsMost: number): Partial<TrialEvidence> =>
  seen({
    lastWriters: {
      readings: 3,
      subtransactionsMost: 0,
      tables: [{ name: 'account', rowsMost, rowsOfOperationMax: 2 }],
    },
  });

describe('a trial in batches', () => {
  test('has one commit for each batch, with the rows of its operations, and its operations outstanding', () => {
    expect(verdictOf()).toEqual([]);
  });

  test('with fewer commits than batches is void', () => {
    expect(verdictOf(counted(1_300))).toEqual([]);
    expect(verdictOf(counted(1_299))).toEqual(['void: commit-counter']);
  });

  test('with a commit for each operation is void: they were no batches', () => {
    expect(verdictOf(counted(12_110))).toEqual(['void: batch-commits']);
  });

  test('whose transactions wrote more rows than a batch may is void', () => {
    expect(verdictOf(rowsOf(21))).toEqual(['void: one-transaction-each']);
  });

  test('acknowledged ahead of its transactions is void', () => {
    expect(verdictOf(seen({ committedAtWindowEnd: { count: 1_000, readMs: 2 } }))).toContain(
      'void: acknowledged-ahead',
    );
  });

  test('with more operations outstanding than sessions × depth × batch is void', () => {
    expect(verdictOf({ result: { ...soundResult, outstandingPeak: 51 } })).toEqual(['void: in-flight']);
    expect(verdictOf({ inFlight: { peak: 52 } })).toEqual(['void: in-flight']);
  });

  test('would be void as one of single operations', () => {
    const { cell } = soundEvidence;
    expect(verdictOf({ cell })).toEqual(
      expect.arrayContaining([
        'void: commit-counter',
        'void: one-transaction-each',
        'void: acknowledged-ahead',
      ]),
    );
  });
});
