import type { Observed } from '@fair-bench/results';
import { describe, expect, test } from 'vitest';
import type { StatementProtocol } from '@fair-bench/contract';
import type { TrialEvidence } from '../src/audit/evidence.ts';
import { judge } from '../src/audit/judge.ts';
import { soundEvidence, soundFacts, writingOperation } from '../src/test-support/evidence.ts';

const verdictOf = (change: Partial<TrialEvidence>): string[] =>
  judge({ ...soundEvidence, ...change }).map(({ severity, code }) => `${severity}: ${code}`);

describe('operations of the load that were looked for', () => {
  const natural: NonNullable<Observed['natural']> = {
    planned: 900,
    read: 12,
    judged: 10,
    visible: 10,
    readAfterMs: { median: 0.6, most: 1.4 },
    seesLatency: true,
    problems: [],
  };
  const judged = (more: Partial<typeof natural> | null) =>
    judge({
      ...soundEvidence,
      observed: { ...soundEvidence.observed, natural: more === null ? null : { ...natural, ...more } },
    });

  test('pass where each that counts had its effect, and where nobody could look', () => {
    expect(judged({})).toEqual([]);
    expect(judged({ judged: 0, visible: 0, readAfterMs: null })).toEqual([]);
    expect(judged(null)).toEqual([]);
  });

  test('void the trial if one had not, with how many', () => {
    expect(judged({ visible: 9 })).toMatchObject([
      {
        code: 'acknowledged-undone',
        message: expect.stringMatching(
          /^1 of 10 operations of the load were acknowledged, and another connection/,
        ),
      },
    ]);
  });
});

describe('voids a trial', () => {
  test('whose acknowledged operations another connection does not see at once', () => {
    const canaries = {
      ...soundEvidence.observed.canaries,
      planned: 6,
      read: 6,
      applied: 0,
      declined: 0,
      readAfterMsMax: 1,
    };
    const seen = (visible: number) => ({
      observed: { ...soundEvidence.observed, canaries: { ...canaries, visible, problems: [] } },
    });
    expect(verdictOf(seen(5))).toEqual(['void: acknowledged-early']);
    expect(verdictOf(seen(6))).toEqual([]);
    expect(verdictOf({ observed: { ...soundEvidence.observed, canaries: null } })).toEqual([]);
  });

  test('whose system had done less when the window ended than was acknowledged until then', () => {
    // 12,000 in all, of which 50 were acknowledged in the drain.
    const done = (count: number) => ({
      observed: {
        ...soundEvidence.observed,
        committedAtWindowEnd: { count, readMs: 2 },
        committedAtOrderedEnd: null,
      },
    });
    expect(verdictOf(done(11_949))).toEqual(['void: acknowledged-ahead']);
    expect(verdictOf(done(11_950))).toEqual([]);
  });

  test('whose system had done less at a moment of the window than was acknowledged until then', () => {
    // 1,950 before the window; then 20 in each slot of 10 ms.
    const replySlots = { ...soundEvidence.result.replySlots, counts: Array.from({ length: 500 }, () => 20) };
    const seen = (afterMs: number, count: number, window = soundEvidence.result.window) =>
      verdictOf({
        result: { ...soundEvidence.result, replySlots, window },
        observed: { ...soundEvidence.observed, committedInWindow: [{ afterMs, count, readMs: 2 }] },
      });
    expect(seen(20.2, 1_989)).toEqual(['void: acknowledged-ahead']);
    expect(seen(20.2, 1_990)).toEqual([]);
    expect(seen(29.9, 1_989)).toEqual(['void: acknowledged-ahead']);
    // Of a slot that has not ended it is not known how much was acknowledged.
    expect(seen(19.9, 1_970)).toEqual([]);
    // Nor of one that ended within the precision of the clocks.
    expect(seen(20.05, 1_970)).toEqual([]);
    // Declines are among the replies of a slot.
    const declining = { ...soundEvidence.result.window, applied: 9_000, declined: { 'no-stock': 1_000 } };
    expect(seen(20.2, 1_990, declining)).not.toContain('void: acknowledged-ahead');
    expect(seen(-1, 1_950)).toEqual([]);
    // Without slots nothing is known before the window's end.
    expect(
      verdictOf({
        observed: {
          ...soundEvidence.observed,
          committedInWindow: [{ afterMs: 4_999, count: 1_950, readMs: 2 }],
        },
      }),
    ).toEqual([]);
  });

  describe('whose ended transactions its operations do not explain', () => {
    // 12,000 operations, 6 canaries and 20 of the system's own.
    const explained = 12_026;
    const ended = (committedAfterTrial: number, atEnd: number, begin = 1_950) =>
      verdictOf({
        observed: {
          ...soundEvidence.observed,
          committedAtWindowBegin: { count: begin, readMs: 2 },
          committedAtWindowEnd: { count: atEnd, readMs: 2 },
          committedAfterTrial,
        },
      });

    test('where each needs one, and the other half hides that only 11,500 of 11,950 were done', () => {
      // Of 2 × 12,026 ids, at the window's end all those of the burner had ended, and 11,500 operations.
      expect(ended(2 * explained, 11_500 + explained, 3_700)).toEqual(['void: unexplained-commits']);
    });

    test('but not where each operation had a subtransaction that ended with it', () => {
      expect(ended(2 * explained, 2 * 11_960, 3_900)).toEqual([]);
    });

    test('where there are more than one for each row that an operation writes', () => {
      expect(ended(3 * explained, 3 * 12_000, 5_850)).toEqual([]);
      expect(ended(3 * explained + 1, 3 * 12_000, 5_850)).toEqual(['void: unexplained-commits']);
    });

    test('and burns most of them in the window, so that work of the warm-up seems to be done in it', () => {
      // 4,000 of the window's 10,000 were done before it began, and 6,000 ids were burned in it.
      expect(ended(explained + 6_000, 18_000, 5_950)).toEqual(['void: unexplained-commits']);
    });

    test('but not where the count has reads, and most operations only read', () => {
      const { latency } = soundEvidence.result;
      const part = (writes: boolean, window: number, total: number) => {
        const count = (applied: number) => ({ applied, declined: 0, faults: 0 });
        return { ...writingOperation(latency), writes, window: count(window), total: count(total) };
      };
      const operations = [part(true, 1_650, 2_000), part(false, 8_350, 10_000)];
      const result = { ...soundEvidence.result, operations };
      const ofReads = (committedHasReads: boolean) =>
        verdictOf({ result, observed: { ...soundEvidence.observed, committedHasReads } });
      expect(ofReads(false)).toContain('void: unexplained-commits');
      expect(ofReads(true)).not.toContain('void: unexplained-commits');
    });

    test('but nothing is said of a system that shows no count', () => {
      const { observed } = soundEvidence;
      expect(verdictOf({ observed: { ...observed, committedAfterTrial: null } })).toEqual([]);
    });
  });

  test('whose durable commits others saw before they were flushed', () => {
    const looked = (found: readonly string[]) => ({
      observed: { ...soundEvidence.observed, unflushed: { looks: 50, found: [...found] } },
    });
    expect(verdictOf(looked(['transaction 5']))).toEqual(['void: visible-before-flushed']);
    const factsBefore = { ...soundEvidence.factsBefore, durability: 'async' } as const;
    expect(verdictOf({ ...looked(['transaction 5']), factsBefore, factsAfter: factsBefore })).toEqual([]);
    expect(verdictOf(looked([]))).toEqual([]);
    expect(verdictOf({ factsBefore, factsAfter: factsBefore })).toEqual([]);
  });

  test('in which one transaction wrote more rows of a table than one operation does', () => {
    const wrote = (rowsMost: number, rowsOfOperationMax: number, subtransactionsMost: number | null = 0) => {
      const tables = [
        { name: 'orders', rowsMost: 1, rowsOfOperationMax: 1 },
        { name: 'line', rowsMost, rowsOfOperationMax },
      ];
      const lastWriters = { readings: 3, subtransactionsMost, tables };
      return verdictOf({ observed: { ...soundEvidence.observed, lastWriters } });
    };
    expect(wrote(6, 5)).toEqual(['void: one-transaction-each']);
    expect(wrote(5, 5)).toEqual([]);
    expect(wrote(1, 0)).toEqual(['void: one-transaction-each']);
    // One order and five lines.
    expect(wrote(5, 5, 6)).toEqual([]);
    expect(wrote(5, 5, 7)).toEqual(['void: one-transaction-each']);
    expect(wrote(5, 5, null)).toEqual([]);
    expect(wrote(6, 5, null)).toEqual(['void: one-transaction-each']);
    expect(verdictOf({ observed: { ...soundEvidence.observed, lastWriters: null } })).toEqual([]);
  });

  test('whose server was sent calls in another protocol than the target is set to', () => {
    const sent = (counts: Partial<Record<StatementProtocol, number>>, stated?: StatementProtocol) => {
      const protocols = { prepared: 0, extended: 0, simple: 0, ...counts };
      const facts = stated === undefined ? soundFacts : { ...soundFacts, statementProtocol: stated };
      const observed = { ...soundEvidence.observed, protocols };
      return verdictOf({ observed, factsBefore: facts, factsAfter: facts });
    };
    expect(sent({ prepared: 40 }, 'prepared')).toEqual([]);
    expect(sent({ simple: 40 }, 'prepared')).toEqual(['void: statement-protocol']);
    expect(sent({ prepared: 40, simple: 1 }, 'prepared')).toEqual(['void: statement-protocol']);
    expect(sent({ prepared: 40 }, 'extended')).toEqual(['void: statement-protocol']);
    // No call was sampled, or an ORM decides for each statement.
    expect(sent({}, 'simple')).toEqual([]);
    expect(sent({ prepared: 40, simple: 40 })).toEqual([]);
  });

  // 10,000 in a window of 5 s. A share of them, and 50 that were under way, may be done before the first reading ends: 1 %
  // and what the busiest moments of the missed time did.
  test.each<[string, number, Partial<TrialEvidence['windowHeard'] & object>, number[] | undefined]>([
    ['3 ms late', 2_157, { beginAfterMs: 1 }, undefined],
    ['before it began', 2_154, { beginAfterMs: -3 }, undefined],
    ['at a moment that nobody timed', 2_294, { beginAfterMs: null }, undefined],
    ['in a burst', 2_165, { beginAfterMs: 1 }, [500, 125, 125, 125, 125]],
    ['in a burst beyond belief', 2_168, { beginAfterMs: 1 }, [1_000, 0, 0, 0, 0]],
  ])('whose window began, as heard %s, with more work done than left', (_, most, heard, appliedSlots) => {
    const begin = (count: number) =>
      verdictOf({
        observed: { ...soundEvidence.observed, committedAtWindowBegin: { count, readMs: 2 } },
        windowHeard: { beginAfterMs: 1, endAfterMs: 2, runnerLateMs: 3, ...heard },
        result: { ...soundEvidence.result, ...(appliedSlots === undefined ? {} : { appliedSlots }) },
      });
    expect(begin(most + 1)).toEqual(['void: window-work']);
    expect(begin(most)).toEqual([]);
  });

  test('whose canaries were never applied, though every session had time for them', () => {
    const canaries = {
      planned: 6,
      read: 0,
      visible: 0,
      applied: 0,
      declined: 0,
      readAfterMsMax: null,
      problems: [],
    };
    const observed = { ...soundEvidence.observed, canaries };
    expect(verdictOf({ observed })).toEqual(['void: canaries-unread']);
    const declined = { ...canaries, read: 5, visible: 5, declined: 1 };
    expect(verdictOf({ observed: { ...observed, canaries: declined } })).toEqual(['void: canaries-declined']);
    const cell = { ...soundEvidence.cell, sessions: 2_000 };
    expect(verdictOf({ observed, cell })).toContain('warning: canaries-unread');
    // 50 × 20 slots had ten turns each in 10,000 operations.
    const deep = (depth: number) => verdictOf({ observed, cell: { ...soundEvidence.cell, depth } });
    expect(deep(20)).toContain('void: canaries-unread');
    expect(deep(21)).toContain('warning: canaries-unread');
    const result = { ...soundEvidence.result, ending: 'stopped' as const };
    expect(verdictOf({ observed, result })).toEqual([]);
  });

  test('in which a setting was changed and changed back', () => {
    const settings = {
      readings: 12,
      first: { fsync: 'on' },
      changes: ['fsync: on → off', 'fsync: off → on'],
    };
    expect(verdictOf({ observed: { ...soundEvidence.observed, settings } })).toEqual([
      'void: settings-in-window',
    ]);
  });
});
