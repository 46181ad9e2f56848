import { describe, expect, test } from 'vitest';
import { judge } from '../src/audit/judge.ts';
import type { TrialEvidence } from '../src/audit/evidence.ts';
import {
  histogramOf,
  latencyOf,
  soundEvidence,
  soundResult,
  writingOperation,
} from '../src/test-support/evidence.ts';

const verdictOf = (change: Partial<TrialEvidence>): string[] =>
  judge({ ...soundEvidence, ...change }).map(({ severity, code }) => `${severity}: ${code}`);

const result = (change: Partial<TrialEvidence['result']>): Partial<TrialEvidence> => ({
  result: { ...soundResult, ...change },
});

describe('voids a trial', () => {
  test('whose histograms are not of the operations that it counted', () => {
    const { latency, latencyMsMeanWindow } = latencyOf(25);
    const verdictFor = (applied: typeof latency.applied) => {
      const falsified = { ...latency, applied };
      const operations = [writingOperation(falsified)];
      return verdictOf(result({ latency: falsified, latencyMsMeanWindow, operations }));
    };
    const wrong = ['void: latency-record'];
    expect(verdictFor(latency.applied)).toEqual([]);
    expect(verdictFor(histogramOf(10_050, 12.5))).toEqual(wrong);
    expect(verdictFor(histogramOf(10_050, 26))).toEqual(wrong);
    expect(verdictFor({ ...latency.applied, hdr: histogramOf(10_050, 12.5).hdr })).toEqual(wrong);
    expect(verdictFor({ ...latency.applied, hdr: 'nonsense' })).toEqual(wrong);
    expect(verdictFor(histogramOf(9_999, 25))).toEqual(wrong);
    expect(verdictFor(histogramOf(10_051, 25))).toEqual(wrong);
    // Its values have the mean, and are fewer than it says.
    expect(verdictFor({ ...latency.applied, hdr: histogramOf(9_000, 25).hdr })).toEqual(wrong);
  });

  test.each([
    ['fewer values', 10_049, 25],
    ['other values', 10_050, 12.5],
  ])('whose operations have %s than all histograms together', (_, count, latencyMs) => {
    const { latency } = latencyOf(25);
    const operations = [writingOperation({ ...latency, applied: histogramOf(count, latencyMs) })];
    expect(verdictOf(result({ operations }))).toEqual(['void: latency-record']);
  });

  test('of an open loop with fewer waiting times than unfinished operations', () => {
    const unfinished = (count: number) => ({
      loop: { kind: 'open' as const, ratePerSecond: 4000 },
      ...result({
        openLoop: {
          due: 20_000,
          started: 10_000,
          neverStarted: 12_000,
          unfinished: histogramOf(count, 1600),
        },
      }),
    });
    expect(verdictOf(unfinished(12_000))).toEqual([]);
    expect(verdictOf(unfinished(11_999))).toEqual(['void: offered-load']);
  });
});

test('a slot without a reply says nothing where few are expected in each', () => {
  const { latency, latencyMsMeanWindow } = latencyOf(25);
  const few = { slotMs: 10, slots: 5_000, empty: 4_000, max: 20, counts: [] };
  expect(verdictOf(result({ latency, latencyMsMeanWindow, replySlots: few }))).toEqual([]);
});

test('an operation that ends in a fault was outstanding as long as it took', () => {
  const window = { ...soundResult.window, applied: 9_000, faults: { timeout: 1_000 } } as const;
  expect(verdictOf(result({ window }))).not.toContain('warning: littles-law');
});
