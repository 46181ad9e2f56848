import { passedTrial, planOf, present, voidTrial } from '../src/test-support/trial-records.ts';
import type { TrialRecord } from '@fair-bench/results';
import { describe, expect, test } from 'vitest';
import { checkReplyBursts } from '../src/audit/checks/reply-bursts.ts';
import { judge } from '../src/audit/judge.ts';
import { brokenByMachine, mayBeTheMachines } from '../src/audit/machine.ts';
import type { TrialEvidence } from '../src/audit/evidence.ts';
import {
  histogramOf,
  latencyOf,
  soundEvidence,
  soundFacts,
  soundResult,
} from '../src/test-support/evidence.ts';

const verdictOf = (change: Partial<TrialEvidence>): string[] =>
  judge({ ...soundEvidence, ...change }).map(({ severity, code }) => `${severity}: ${code}`);

const result = (change: Partial<TrialEvidence['result']>): Partial<TrialEvidence> => ({
  result: { ...soundResult, ...change },
});

/** Of five seconds, so many without a reply. */
const slotsOf = (empty: number, max: number) => ({ slotMs: 10, slots: 500, empty, max, counts: [] });

/** All that fell due was started. */
const heldLoad = { due: 10_000, started: 10_000, neverStarted: 0, unfinished: histogramOf(0, 0) };

test('a good trial has no finding', () => {
  expect(judge(soundEvidence)).toEqual([]);
});

describe('voids a trial', () => {
  test('whose database is not in the state that the acknowledged operations imply', () => {
    const state = {
      status: 'failed' as const,
      rowsChecked: 100_000,
      mismatches: 2,
      inDoubt: 0,
      reason: '2 of 100000 accounts differ',
      examples: ['account 17: expected 5, found 4 (−1)'],
    };
    const [judgement] = judge({ ...soundEvidence, state });
    expect(judgement).toMatchObject({ severity: 'void', code: 'state' });
    expect(judgement?.message).toBe('2 of 100000 accounts differ (account 17: expected 5, found 4 (−1))');
  });

  test('after which a condition of the workload does not hold, and passes where all do', () => {
    const kept = { name: 'money is kept', fact: null };
    const broken = { name: 'each order has its lines', fact: 'order 7 has 2 of 3' };
    const withAll = (...conditions: (typeof kept | typeof broken)[]) =>
      judge({ ...soundEvidence, state: { ...soundEvidence.state, conditions } });
    expect(withAll(kept, broken)).toMatchObject([{ severity: 'void', code: 'conditions' }]);
    expect(withAll(kept, broken)[0]?.message).toMatch(/^1 of 2 conditions .* lines \(order 7 has 2 of 3\)/);
    expect(withAll(kept)).toEqual([]);
  });

  test('in which nothing was applied', () => {
    const window = { ...soundResult.window, applied: 0, faults: { 'connection-lost': 10_000 } } as const;
    expect(verdictOf(result({ window }))).toContain('void: only-refused-work');
    expect(verdictOf(result({ window: { ...window, faults: {} } }))).toContain('void: no-applied-work');
  });

  test('during which a setting changed', () => {
    const changed = { ...soundFacts, settings: { fsync: 'off' } };
    const [judgement] = judge({ ...soundEvidence, factsAfter: changed });
    expect(judgement).toMatchObject({ severity: 'void', code: 'facts-changed' });
    expect(judgement?.message).toContain('fsync: on → off');
  });

  test('whose latency is understated or whose depth is exceeded, by Little’s law', () => {
    expect(verdictOf(result(latencyOf(20)))).toEqual(['void: littles-law']);
    expect(verdictOf(result(latencyOf(30)))).toEqual(['void: littles-law-above']);
    // Operations at the window's edges blur it by one mean latency each.
    expect(verdictOf(result(latencyOf(26.5)))).toEqual([]);
    expect(verdictOf(result(latencyOf(26.6)))).toEqual(['void: littles-law-above']);
    // Faults leave sessions idle; they put none more in flight.
    const window = { ...soundResult.window, faults: { timeout: 1 } } as const;
    expect(verdictOf(result({ ...latencyOf(30), window }))).toContain('void: littles-law-above');
    expect(verdictOf(result({ ...latencyOf(20), window }))).toContain('void: littles-law');
    // Two pauses of half a second explain a fifth of a slot in 5 s; 35 faults explain seven.
    const faulty = (timeout: number, latencyMs: number, accepted = 0.01) =>
      verdictOf({
        faultsShareMax: accepted,
        ...result({ ...latencyOf(latencyMs), window: { ...soundResult.window, faults: { timeout } } }),
      });
    expect(faulty(35, 23)).toContain('warning: littles-law');
    expect(faulty(5, 23)).toContain('void: littles-law');
    // More than a tenth of the sessions did nothing: it is another load, unless so many faults were accepted.
    expect(faulty(60, 20)).toContain('void: littles-law');
    expect(faulty(60, 20, 0.5)).toContain('warning: littles-law');
  });

  test('whose engine is in the load client, if more than one request of a thread was between two operations', () => {
    const facts = { ...soundFacts, provider: 'in-process' as const, appServer: null };
    const inClient = { factsBefore: facts, factsAfter: facts, cell: { ...soundEvidence.cell, threads: 10 } };
    // 40 to 50 are outstanding: 20 to 25 ms.
    expect(verdictOf({ ...inClient, ...result(latencyOf(20)) })).toEqual([]);
    expect(verdictOf({ ...inClient, ...result(latencyOf(15)) })).toEqual(['void: littles-law']);
    expect(verdictOf({ ...inClient, ...result(latencyOf(30)) })).toEqual(['void: littles-law-above']);
    const oneEach = { ...inClient, cell: { ...inClient.cell, threads: 50 } };
    expect(verdictOf({ ...oneEach, ...result(latencyOf(1)) })).toEqual([]);
  });

  test('does not apply Little’s law of the closed loop to an open one', () => {
    const loop = { kind: 'open' as const, ratePerSecond: 2000 };
    expect(verdictOf({ loop, ...result({ ...latencyOf(3), openLoop: heldLoad }) })).toEqual([]);
  });

  test('of an open loop that does not say what became of all that fell due', () => {
    const loop = { kind: 'open' as const, ratePerSecond: 2000 };
    const verdictFor = (openLoop: typeof heldLoad | null): string[] =>
      verdictOf({ loop, ...result({ openLoop }) });
    expect(verdictFor(heldLoad)).toEqual([]);
    expect(verdictFor(null)).toEqual(['void: offered-load']);
    expect(verdictFor({ ...heldLoad, due: 9_900 })).toEqual(['void: offered-load']);
    // 12,000 were sent: at twice the rate as many more fell due, the last 12,000 of them 0.25 ms apart.
    const twice = { kind: 'open' as const, ratePerSecond: 4000 };
    const overloaded = (neverStarted: number, meanMs: number): string[] => {
      const unfinished = histogramOf(neverStarted, meanMs);
      return verdictOf({
        loop: twice,
        ...result({ openLoop: { ...heldLoad, due: 20_000, neverStarted, unfinished } }),
      });
    };
    expect(overloaded(12_000, 1500)).toEqual([]);
    expect(overloaded(0, 0)).toEqual(['void: offered-load']);
    expect(overloaded(12_000, 750)).toEqual(['void: offered-load']);
  });

  test('with more in flight than sessions × depth, at either end', () => {
    // One canary may be outstanding beside them at the server.
    expect(verdictOf({ inFlight: { peak: 51 } })).toEqual([]);
    expect(verdictOf({ inFlight: { peak: 52 } })).toEqual(['void: in-flight']);
    // The peaks of a server's processes, which are added up, need not be of one moment.
    const appServer = {
      runtime: 'node',
      processes: 2,
      poolSizePerProcess: 25,
      retriesMax: 5,
      keepAlive: true,
    };
    const facts = { ...soundFacts, appServer };
    const behind = { factsBefore: facts, factsAfter: facts };
    expect(verdictOf({ ...behind, inFlight: { peak: 52 } })).not.toContain('void: in-flight');
    expect(verdictOf({ ...behind, inFlight: { peak: 53 } })).toContain('void: in-flight');
    expect(verdictOf(result({ outstandingPeak: 51 }))).toEqual(['void: in-flight']);
  });

  test('whose replies came in bursts', () => {
    const replySlots = slotsOf(400, 100);
    expect(verdictOf(result({ replySlots }))).toEqual(['void: reply-bursts']);
    expect(verdictOf(result({ replySlots: { ...replySlots, empty: 250 } }))).toEqual([]);
  });

  test('whose replies came in bursts that are long beside its latency', () => {
    // 12,800 a second; 61 % of the slots are empty, so that one of 25.6 ms has replies.
    const replySlots = slotsOf(305, 4000);
    const window = { ...soundResult.window, applied: 64_000 };
    const judged = (sessions: number, depth: number): string[] => {
      const latencyMsMeanWindow = (sessions * depth) / 12.8;
      const trial = result({ replySlots, window, latencyMsMeanWindow });
      return checkReplyBursts({ ...soundEvidence, ...trial }).map(({ code }) => code);
    };
    expect(judged(200, 40)).toEqual([]);
    // 260 ms and 255 ms of latency.
    expect(judged(64, 52)).toEqual([]);
    expect(judged(64, 51)).toEqual(['reply-bursts']);
    expect(judged(16, 8)).toEqual(['reply-bursts']);
  });

  test('whose replies came in bursts, unless its load client had no processor to read them on', () => {
    const replySlots = slotsOf(400, 100);
    const effort = { ...soundResult.effort, loopUtilization: 0.9 };
    const used = (shareOfWindow: number) => ({ cpuUserUs: shareOfWindow * 5_000_000, cpuSystemUs: 0 });
    const bursts = (shareOfWindow: number): string[] =>
      verdictOf(result({ replySlots, effort: { ...effort, ...used(shareOfWindow) } }));
    expect(bursts(0.5)).toContain('warning: reply-bursts');
    expect(bursts(0.85)).toContain('void: reply-bursts');
  });

  test('whose replies came in bursts, but for what a slow disk explains', () => {
    const bursts = (empty: number, fsyncPerSecond: number): string[] =>
      verdictOf({
        ...result({ replySlots: slotsOf(empty, 400) }),
        storage: { fsyncPerSecond, deviceFlushes: 2_100, quietFlushes: 0 },
      });
    // 50 flushes a second are half of one a slot: up to 80 % of the slots may be empty.
    expect(bursts(400, 50)).toContain('warning: reply-bursts');
    expect(bursts(450, 50)).toContain('void: reply-bursts');
    expect(bursts(400, 5_000)).toContain('void: reply-bursts');
  });
});

const agent = {
  name: 'a1',
  sessionFirst: 0,
  sessionCount: 25,
  applied: 5000,
  cores: 2,
  cpuUserUs: 0,
  cpuSystemUs: 0,
  utilization: 0.4,
  windowSkewMs: 0.5,
  clockErrorMs: 0.2,
  roundTripMs: 0.4,
  heardAfterMs: 1,
  windowMs: soundResult.timing.windowMs,
  windowMsHeard: soundResult.timing.windowMs,
};

/** A trial of agent a1, which is sound, and of a2, which differs by this. */
const besideAgent = (change: Partial<typeof agent>): Partial<TrialEvidence> =>
  result({ agents: [agent, { ...agent, name: 'a2', ...change }] });

describe('of an agent beside a sound one', () => {
  const { windowMs } = agent;
  test.each([
    ['a window 50 ms beside the others passes', { windowSkewMs: 50 }, []],
    ['a window 51 ms beside the others voids', { windowSkewMs: 51 }, ['void: agent-windows']],
    [
      'a skew and a clock error of 51 ms together void',
      { windowSkewMs: 40, clockErrorMs: 11 },
      ['void: agent-windows'],
    ],
    ['events 150.3 ms late pass', { windowSkewMs: 0, heardAfterMs: 150.3 }, []],
    ['events 150.5 ms late void', { windowSkewMs: 0, heardAfterMs: 150.5 }, ['void: agent-windows']],
    ['events 0.1 ms early pass', { windowSkewMs: 0, heardAfterMs: -0.1 }, []],
    ['events 0.3 ms early void', { windowSkewMs: 0, heardAfterMs: -0.3 }, ['void: agent-windows']],
    ['a window 2 ms shorter than ordered voids', { windowMs: windowMs - 2 }, ['void: agent-windows']],
    ['a window heard 150 ms too long passes', { windowMsHeard: windowMs + 150 }, []],
    ['a window heard 151 ms too long voids', { windowMsHeard: windowMs + 151 }, ['void: agent-windows']],
  ] as const)('%s', (_case, change, expected) => {
    expect(verdictOf(besideAgent(change))).toEqual(expected);
  });

  test.each([
    ['who was late, by name', { windowSkewMs: 51 }, 'load agent a2 began up to 50.7 ms'],
    [
      'who was busy, by name',
      { windowSkewMs: 0, clockErrorMs: 0, utilization: 0.96 },
      'load agent a2 was busy 96 %',
    ],
  ])('the message says %s', (_case, change, message) => {
    expect(judge({ ...soundEvidence, ...besideAgent(change) })[0]?.message).toContain(message);
  });

  // The network's round trip is added to what a suspended process explains.
  test.each([
    ['the end of the window heard 150.4 ms late passes', 150.4, []],
    ['the end of the window heard 150.5 ms late voids', 150.5, ['void: window-clock']],
  ])('%s', (_case, endAfterMs, expected) => {
    const windowHeard = { beginAfterMs: null, endAfterMs, runnerLateMs: 3 };
    expect(verdictOf({ ...result({ agents: [agent] }), windowHeard })).toEqual(expected);
  });

  test('other programs on its machine are named with it', () => {
    const calm = { cores: 2, busyShare: 0.5, stealShare: 0, waitingShare: 0, runnable: null };
    const host = { ...calm, foreignShare: 0.2, foreignMost: { command: 'cc', share: 0.1 } };
    expect(judge({ ...soundEvidence, ...result({ agents: [{ ...agent, host }] }) })[0]).toMatchObject({
      code: 'host-foreign',
      message: 'load agent a1: other processes took 20.0 % of processor time (limit 5.0 %; most: cc, 10.0 %)',
    });
  });
});

describe('warns of a trial', () => {
  test('with faults, naming each code', () => {
    const total = { ...soundResult.total, faults: { timeout: 3 } } as const;
    expect(verdictOf(result({ total }))).toEqual(['warning: faults']);
  });

  test('whose server never saw the depth', () => {
    const cell = { ...soundEvidence.cell, depth: 8 };
    const observed = { ...soundEvidence.observed, outstandingOnWire: 8 };
    const deep = { ...result({ outstandingPeak: 400, ...latencyOf(200) }), observed };
    expect(verdictOf({ cell, ...deep, inFlight: { peak: 50 } })).toEqual(['warning: depth-not-reached']);
    expect(verdictOf({ cell, ...deep, inFlight: { peak: 390 } })).toEqual([]);
    const short = { ...observed, outstandingOnWire: 7 };
    expect(verdictOf({ cell, ...deep, observed: short, inFlight: null })).toEqual([
      'warning: depth-not-reached',
    ]);
    const oneWriter = { ...soundFacts, durability: 'none' as const, writersMax: 1 };
    const facts = { factsBefore: oneWriter, factsAfter: oneWriter };
    expect(verdictOf({ cell, ...deep, ...facts, inFlight: { peak: 1 } })).toEqual([]);
  });

  test('whose load client was busy all the time', () => {
    expect(verdictOf(result({ effort: { ...soundResult.effort, loopUtilization: 0.97 } }))).toEqual([
      'warning: client-saturated',
    ]);
    const inClient = { ...soundFacts, provider: 'in-process' as const, appServer: null };
    const busy = result({ effort: { ...soundResult.effort, loopUtilization: 1 } });
    expect(verdictOf({ ...busy, factsBefore: inClient, factsAfter: inClient })).toEqual([]);
  });

  test('whose processors others used, or that had none left', () => {
    const host = soundEvidence.host;
    if (host === null) throw new Error('sound evidence has a host');
    expect(verdictOf({ host: { ...host, stealShare: 0.021 } })).toEqual(['warning: host-stolen']);
    expect(verdictOf({ host: { ...host, foreignShare: 0.051 } })).toEqual(['warning: host-foreign']);
    expect(verdictOf({ host: { ...host, busyShare: 0.96 } })).toEqual(['warning: host-busy']);
    expect(verdictOf({ host: { ...host, foreignShare: null, foreignMost: null } })).toEqual([]);
    expect(verdictOf({ host: null })).toEqual([]);
  });

  test('in which a stall at an edge of the window may explain that Little’s law does not hold', () => {
    const stalled = { ...soundResult.latency.applied, maxUs: 1_000_000 };
    const latency = { ...soundResult.latency, applied: stalled };
    const judged = (latencyMsMeanWindow: number) =>
      verdictOf(result({ latencyMsMeanWindow, latency })).filter((code) => /littles-law|window/.test(code));
    expect(judged(27.4)).toEqual(['warning: littles-law']);
    // Beyond 10 % the window was too short for the stall, beyond what the stall explains the figures are wrong.
    expect(judged(27.6)).toEqual(['void: window-length']);
    expect(judged(32)).toEqual(['void: littles-law-above']);
  });

  test('that was not steady', () => {
    expect(verdictOf(result({ steadyState: { reached: false, windowDrift: 0 } }))).toEqual([
      'warning: not-steady',
    ]);
    expect(verdictOf(result({ steadyState: { reached: true, windowDrift: -0.2 } }))).toEqual([
      'warning: drift',
    ]);
  });
});

test('the machine alone may have voided a trial by these rules only', () => {
  expect([...brokenByMachine.keys()]).toEqual([
    'window-clock',
    'window-length',
    'agent-windows',
    'littles-law',
    'reply-bursts',
    'flushes-of-others',
    'no-applied-work',
    'not-audited',
  ]);
  const cell = present(planOf({ targets: ['alpha-http'] }).cells[0]);
  const unmeasured = { cellId: cell.id, round: 0, reason: '', audit: null, facts: null, warnings: [] };
  const interrupted: TrialRecord = { status: 'interrupted', ...unmeasured };
  const [passed, lost] = [passedTrial({ cell, round: 0, applied: 1 }), voidTrial({ cell, round: 0 })];
  expect([passed, lost, interrupted].map(mayBeTheMachines)).toEqual([false, true, false]);
});
