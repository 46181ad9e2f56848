import { describe, expect, test } from 'vitest';
import { judge } from '../src/audit/judge.ts';
import type { TrialEvidence } from '../src/audit/evidence.ts';
import { histogramOf, latencyOf, soundEvidence, soundResult } from '../src/test-support/evidence.ts';
import { present } from '../src/test-support/trial-records.ts';

const verdictOf = (change: Partial<TrialEvidence>): string[] =>
  judge({ ...soundEvidence, ...change }).map(({ severity, code }) => `${severity}: ${code}`);

const result = (change: Partial<TrialEvidence['result']>): Partial<TrialEvidence> => ({
  result: { ...soundResult, ...change },
});

/** All that fell due was started. */
const heldLoad = { due: 10_000, started: 10_000, neverStarted: 0, unfinished: histogramOf(0, 0) };

describe('voids a trial', () => {
  test('whose window was not as long as its load client reports', () => {
    const heard = (beginAfterMs: number | null, endAfterMs: number, runnerLateMs = 3) => ({
      windowHeard: { beginAfterMs, endAfterMs, runnerLateMs },
    });
    // 30 ms, 3 by which the runner was late, and 25 that 50 outstanding operations take.
    for (const wrong of [
      heard(-6, 1),
      heard(59, 57),
      heard(1, 59),
      heard(1, 151, 200),
      { windowHeard: null },
      { windowMsOrdered: null },
      { windowMsOrdered: 5_010 },
      { windowMsPlanned: { least: 5_010, most: 60_000 } },
      { windowMsPlanned: { least: 700, most: 4_990 } },
    ])
      expect(verdictOf(wrong)).toEqual(['void: window-clock']);
    expect(verdictOf(heard(57, 57))).toEqual([]);
    expect(verdictOf(heard(null, -57))).toEqual([]);
    expect(verdictOf(heard(1, 149, 200))).toEqual([]);
  });

  describe('whose load client has a slow clock in a short window, on a machine that others use too,', () => {
    const host = { ...present(soundEvidence.host ?? undefined), foreignShare: 0.06 };
    // 1,400 in a window of 700 ms, and 3,350 acknowledged by its end.
    const short = (
      endAfterMs: number,
      committedAtOrderedEnd: TrialEvidence['observed']['committedAtOrderedEnd'],
    ) =>
      verdictOf({
        ...result({
          timing: { ...soundResult.timing, windowMs: 700 },
          operations: soundResult.operations.map((one) => ({
            ...one,
            total: { ...one.total, applied: 3_400 },
          })),
        }),
        windowMsOrdered: 700,
        windowMsPlanned: { least: 700, most: 60_000 },
        windowHeard: { beginAfterMs: 1, endAfterMs, runnerLateMs: 20 },
        observed: { ...soundEvidence.observed, committedAtOrderedEnd },
        host,
      }).includes('void: window-clock');

    test('which the system’s count at the end that it said refutes, however late the runner hears of it', () => {
      expect(short(90, { count: 3_349, readMs: 1 })).toBe(true);
      expect(short(90, { count: 3_350, readMs: 1 })).toBe(false);
    });

    test('which 5 % of the window hide where the system shows no count', () => {
      expect([short(34, null), short(36, null)]).toEqual([false, true]);
    });
  });

  test('is given more time for its events where others took processors, and says so', () => {
    const host = present(soundEvidence.host ?? undefined);
    const late = (endAfterMs: number, foreignShare: number) =>
      verdictOf({
        windowHeard: { beginAfterMs: 1, endAfterMs, runnerLateMs: 3 },
        host: { ...host, foreignShare },
      });
    expect(late(149, 0.04)).toEqual(['void: window-clock']);
    expect(late(149, 0.06)).toEqual(['warning: host-foreign']);
    expect(late(151, 0.06)).toContain('void: window-clock');
  });

  test('whose window was too short for its latency, or for Little’s law to say anything', () => {
    // 10,000 operations of 2,500 outstanding: four latencies of 1.25 s in 5 s.
    const deep = (depth: number, latencyMs: number, most = 60_000) => {
      const cell = { ...soundEvidence.cell, depth };
      const observed = { ...soundEvidence.observed, outstandingOnWire: depth };
      const outstandingPeak = 50 * depth;
      return judge({
        ...soundEvidence,
        ...result({ ...latencyOf(latencyMs), outstandingPeak }),
        cell,
        observed,
        inFlight: { peak: outstandingPeak },
        windowMsPlanned: { least: 700, most },
      });
    };
    const codesOf = (judgements: readonly { code: string }[]) => judgements.map(({ code }) => code);
    expect(codesOf(deep(50, 1250))).toEqual(['window-length']);
    expect(deep(50, 1250)[0]).toMatchObject({
      message:
        'the window of 5000 ms is shorter than 5 mean latencies of 1250 ms; --duration 13s gives it ten',
    });
    // As long as the plan permits: no repeat would be longer.
    expect(codesOf(deep(50, 1250, 5000))).toEqual(['window-too-short']);
    // Those that completed were quick, and the others are still outstanding.
    expect(codesOf(deep(50, 900))).toEqual(['window-length']);
    expect(codesOf(deep(40, 1000))).toEqual([]);
    // Six latencies: edges blur the law by 5 % and a third.
    expect(codesOf(deep(33, 825))).toEqual([]);
    expect(codesOf(deep(33, 906))).toEqual([]);
    expect(codesOf(deep(33, 909))).toEqual(['window-length']);
    expect(deep(33, 740)[0]?.message).toMatch(
      /1480.0 operations outstanding.*1650; that is 10 % off, and only/,
    );
    expect(codesOf(deep(33, 450))).toContain('littles-law');
  });

  test('of an open loop only where the window is too short for what was outstanding', () => {
    const loop = { kind: 'open' as const, ratePerSecond: 2000 };
    const waited = (latencyMs: number, depth: number) =>
      verdictOf({
        loop,
        cell: { ...soundEvidence.cell, depth },
        ...result({ ...latencyOf(latencyMs), openLoop: heldLoad }),
      }).filter((code) => code.includes('window'));
    // They waited to be sent: at most 50 were outstanding.
    expect(waited(3000, 1)).toEqual([]);
    expect(waited(990, 100)).toEqual([]);
    expect(waited(1010, 100)).toEqual(['void: window-length']);
  });
});
