import { describe, expect, test } from 'vitest';
import type { TrialEvidence } from '../src/audit/evidence.ts';
import { judge } from '../src/audit/judge.ts';
import {
  histogramOf,
  soundEvidence,
  soundFacts,
  soundResult,
  writingOperation,
} from '../src/test-support/evidence.ts';

type Change = Partial<TrialEvidence>;

const verdictOf = (...changes: Change[]): string[] =>
  judge(Object.assign({}, soundEvidence, ...changes)).map(({ severity, code }) => `${severity}: ${code}`);

/** Counters rise from 100 commits, 10 flushes and no applied operation. */
const counted = (after: Partial<TrialEvidence['countersAfter']>): Change => ({
  countersAfter: { ...soundEvidence.countersAfter, ...after },
});
const seen = (change: Partial<TrialEvidence['observed']>): Change => ({
  observed: { ...soundEvidence.observed, ...change },
});
const reported = (change: Partial<TrialEvidence['result']>): Change => ({
  result: { ...soundResult, ...change },
});
const stating = (change: Partial<TrialEvidence['factsBefore']>): Change => {
  const facts = { ...soundFacts, ...change };
  return { factsBefore: facts, factsAfter: facts };
};
const flushed = (fsyncPerSecond: number, deviceFlushes: number | null): Change => ({
  storage: { fsyncPerSecond, deviceFlushes, quietFlushes: 0 },
  writtenBytes: null,
});

const { canaries } = soundEvidence.observed;
if (canaries === null) throw new Error('sound evidence has canaries');
/** Five operations beside the 12,000, which the load client leaves out of its counts. */
const five = seen({ canaries: { ...canaries, applied: 5 } });

const retried = { ...soundResult.total, retries: 10 };
const uncounted: Change = { countersBefore: {}, countersAfter: {} };

describe('counters', () => {
  test.each<[string, Change[], string[]]>([
    ['a commit for each operation', [counted({ commits: 12_100 })], []],
    ['a commit too few', [counted({ commits: 12_099 })], ['void: commit-counter']],
    ['a commit for each canary', [five, counted({ commits: 12_105, applied: 12_005 })], []],
    [
      'no commit for a canary',
      [five, counted({ commits: 12_104, applied: 12_005 })],
      ['void: commit-counter'],
    ],
    ['an operation that the server did not count', [counted({ applied: 11_999 })], ['void: server-counter']],
    [
      'a canary that the server did not count',
      [five, counted({ applied: 12_004 })],
      ['void: server-counter'],
    ],
    // 12,000 operations, 424 statements of the observer and 8 for each of 50 connections, and 2 %.
    ['what the harness itself commits', [counted({ commits: 13_180 })], []],
    ['more than that', [counted({ commits: 13_181 })], ['warning: extra-commits']],
    [
      'retries and unanswered ones',
      [reported({ total: retried, unanswered: 10 }), counted({ commits: 13_200 })],
      [],
    ],
    ['a pool larger than the sessions', [stating({ writersMax: 100 }), counted({ commits: 13_588 })], []],
    ['more sessions than writers', [stating({ writersMax: 10 }), counted({ commits: 13_180 })], []],
  ])('%s', (_, changes, verdict) => expect(verdictOf(...changes)).toEqual(verdict));
});

describe('of operations that only read', () => {
  const { latency } = soundResult;
  const none = histogramOf(0, 0);
  const reading = (applied: number, total: number, writes: boolean) => ({
    ...writingOperation({
      applied: histogramOf(applied + (writes ? 50 : 0), 25),
      declined: none,
      faults: none,
    }),
    name: writes ? 'transfer' : 'look',
    writes,
    window: { applied, declined: 0, faults: 0 },
    total: { applied: total, declined: 0, faults: 0 },
  });
  /** 8,000 write, 6,000 of them in the window; 4,000 read, all of them in it. */
  const mixed: Change = {
    ...reported({
      latency,
      operations: [reading(6_000, 8_000, true), reading(4_000, 4_000, false)],
    }),
    ...seen({ committedAfterTrial: 8_006 }),
  };
  const counters = (commits: number, transactions: number, scans = 20_000): Change => ({
    countersBefore: { commits: 100, transactions: 100, scans: 100, applied: 0 },
    countersAfter: { commits, transactions, scans, applied: 12_000 },
  });
  const committed = (atBegin: number, atEnd: number): Change =>
    seen({
      committedAtWindowBegin: { count: atBegin, readMs: 2 },
      committedAtWindowEnd: { count: atEnd, readMs: 2 },
      committedAfterTrial: 8_006,
    });

  test.each<[string, Change[], string[]]>([
    ['each is a transaction, and no commit', [counters(8_100, 12_100)], []],
    ['one was answered without the database', [counters(8_100, 12_099)], ['void: transaction-counter']],
    [
      'each is a transaction of a server that counts nothing else',
      [
        { countersBefore: { transactions: 100, applied: 0 } },
        { countersAfter: { transactions: 12_100, applied: 12_000 } },
      ],
      [],
    ],
    [
      'of a server that counts transactions alone, one was answered without it',
      [
        { countersBefore: { transactions: 100, applied: 0 } },
        { countersAfter: { transactions: 12_099, applied: 12_000 } },
      ],
      ['void: transaction-counter'],
    ],
    ['each is a scan', [counters(8_100, 12_100, 4_100)], []],
    ['one was answered without a table', [counters(8_100, 12_100, 4_099)], ['void: scan-counter']],
    [
      'one of the warm-up was answered without a table',
      [
        reported({ operations: [reading(7_000, 8_000, true), reading(3_000, 4_000, false)] }),
        counters(8_100, 12_100, 4_099),
      ],
      ['void: scan-counter'],
    ],
    ['a write was not committed', [counters(8_099, 12_100)], ['void: commit-counter']],
    ['none is among what is committed', [counters(8_100, 12_100), committed(2_064, 7_950)], []],
    [
      'a write was not committed in time',
      [counters(8_100, 12_100), committed(2_063, 7_949)],
      ['void: acknowledged-ahead'],
    ],
    ['a write was of the warm-up', [counters(8_100, 12_100), committed(2_065, 7_950)], ['void: window-work']],
  ])('%s', (_, changes, verdict) => expect(verdictOf(mixed, ...changes)).toEqual(verdict));
});

describe('flushes of durable commits that others make too', () => {
  // 12,000 commits by at most 50 writers need 216 flushes, and each of these a page.
  const beside = (
    deviceFlushes: number,
    quietFlushes: number | null,
    writtenBytes: number | null,
  ): Change => ({
    storage: { fsyncPerSecond: 5000, deviceFlushes, quietFlushes },
    writtenBytes,
  });
  test.each<[string, Change[], string[]]>([
    [
      'are not those of a server that wrote less',
      [beside(2_000, 0, 216 * 4096 - 1)],
      ['void: server-writes'],
    ],
    ['do not harm a server that wrote enough', [beside(2_000, 1_990, 216 * 4096)], []],
    [
      'are left out of a server whose writes nobody sees',
      [beside(2_000, 1_785, null)],
      ['void: flushes-of-others'],
    ],
    ['but for what is left', [beside(2_000, 1_784, null)], []],
    ['and nothing is left out without a quiet moment', [beside(2_000, null, null)], []],
    [
      'are those of a disk where the log is not',
      [
        stating({
          storage: {
            directory: '/data',
            fileSystem: 'ext4',
            parts: [{ holds: 'log', directory: '/dev/shm/log', fileSystem: 'tmpfs' }],
          },
        }),
        beside(2_000, 0, 0),
      ],
      ['void: log-in-memory'],
    ],
  ])('%s', (_, changes, verdict) => expect(verdictOf(...changes)).toEqual(verdict));
});

describe('flushes of durable commits', () => {
  test.each<[string, Change[], string[]]>([
    // 12,000 commits by at most 50 writers need 240 flushes; nine tenths of them must show.
    ['that the disk counted', [flushed(5000, 216)], []],
    ['that the disk did not count', [flushed(5000, 215)], ['void: device-flushes']],
    [
      'by more writers than are outstanding',
      [stating({ writersMax: 1000 }), flushed(5000, 215)],
      ['void: device-flushes'],
    ],
    ['that the database counted', [counted({ flushes: 226 })], []],
    ['that the database did not count', [counted({ flushes: 225 })], ['void: database-flushes']],
    ['as fast as the disk can', [stating({ writersMax: 1 }), uncounted, flushed(670, null)], []],
    [
      'faster than the disk can',
      [stating({ writersMax: 1 }), uncounted, flushed(660, null)],
      ['void: implausible-durability'],
    ],
    ['where none are claimed', [stating({ durability: 'async' }), flushed(1, 0)], []],
  ])('%s', (_, changes, verdict) => expect(verdictOf(...changes)).toEqual(verdict));
});

describe('sessions of a target with a pooler', () => {
  const pooler = { requested: 'alpha', answers: 'alpha', version: '1.2', poolSize: 10 };
  const applied = soundResult.total.applied;
  const passed = (count: number): Change => ({
    countersBefore: { ...soundEvidence.countersBefore, pooled: 100 },
    countersAfter: { ...soundEvidence.countersAfter, pooled: 100 + count },
  });
  const looked = (pooledMost: number, ...beside: string[]): Change =>
    seen({ pooling: { looks: 5, pooledMost, beside } });

  test.each<[string, Change[], string[]]>([
    ['that goes through all of it', [passed(applied), looked(10)], []],
    ['that misses a few', [passed(Math.ceil(0.9 * applied)), looked(10)], []],
    ['that counts less', [passed(Math.floor(0.9 * applied) - 1), looked(10)], ['void: past-the-pooler']],
    ['that does not count, and is not visible', [], []],
    ['of which one came past it', [passed(applied), looked(10, 'backend 7')], ['void: past-the-pooler']],
    ['that has more connections', [passed(applied), looked(11)], ['void: pool-exceeded']],
  ])('%s', (_, changes, verdict) => {
    const evidence = [{ cell: { ...soundEvidence.cell, depth: 1 } }, stating({ pooler }), ...changes];
    expect(verdictOf(...evidence).filter((one) => one.includes('pool'))).toEqual(verdict);
  });

  test.each([
    [10, []],
    [9, ['void: past-the-pooler']],
  ])('count as one for each connection at a depth above 1: %d', (count, verdict) => {
    const cell = { ...soundEvidence.cell, sessions: 50, depth: 4 };
    const evidence = [{ cell }, stating({ pooler }), passed(count)];
    expect(verdictOf(...evidence).filter((one) => one.includes('pool'))).toEqual(verdict);
  });

  test('with another name than the one that is named', () => {
    const other = stating({ pooler: { ...pooler, requested: 'beta' } });
    expect(verdictOf(other, passed(applied), looked(10))).toContain('void: other-pooler');
  });
});
