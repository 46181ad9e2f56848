import { expect, test } from 'vitest';
import { judgeFault } from '../src/faults/judge-fault.ts';
import { summarizeFaults } from '../src/faults/summarize-faults.ts';
import { faultTrialOf, planOf, present } from '../src/test-support/index.ts';

const cell = present(planOf({ targets: ['alpha-http'] }).cells[0]);
const rulesOf = (trial: ReturnType<typeof faultTrialOf>) => judgeFault(trial)?.rule ?? null;

test.each([0, 40, 400, 3_000])('an honest outage of %i ms passes: its operations waited', (outageMs) => {
  expect(rulesOf(faultTrialOf({ cell, outageMs }))).toBe(null);
});

test.each([1, 20, 499])('an honest outage in which %i operations failed passes', (failed) => {
  expect(rulesOf(faultTrialOf({ cell, failed }))).toBe(null);
});

test('a load that is not held before the fault is void', () => {
  expect(rulesOf(faultTrialOf({ cell, heldBefore: 0.91 }))).toBe(null);
  expect(judgeFault(faultTrialOf({ cell, heldBefore: 0.8 }))).toEqual({
    rule: 'F56',
    reason:
      'before the fault it did 800 of the 1000 operations per second that were offered; give a lower --rate',
  });
});

test('what was outstanding when the servers were killed and is acknowledged later is void', () => {
  const { course } = faultTrialOf({ cell });
  expect(rulesOf(faultTrialOf({ cell }, { course: { ...course, answeredByTheDead: 1 } }))).toBe('F57');
});

test('a batch is one request: neither its distance nor its size is an outage', () => {
  const cut = faultTrialOf({ cell, kind: 'conn-reset', outageMs: 95, ratePerSecond: 1_000, latencyMsMax: 5 });
  expect(rulesOf(cut)).toBe('F58');
  expect(rulesOf({ ...cut, batch: 100 })).toBe(null);
  expect(rulesOf({ ...faultTrialOf({ cell, heldBefore: 0.88 }), batch: 100 })).toBe(null);
});

test('a record whose latencies leave the outage out is void', () => {
  expect(rulesOf(faultTrialOf({ cell, kind: 'pause', outageMs: 1_000, latencyMsMax: 30 }))).toBe('F58');
  // Half of it, too.
  expect(rulesOf(faultTrialOf({ cell, kind: 'pause', outageMs: 1_000, latencyMsMax: 500 }))).toBe('F58');
});

test('times are from the beginning of the fault: the middle trial, and the worst', () => {
  const trials = [300, 900, 500].map((outageMs, trial) =>
    faultTrialOf({ cell, trial, outageMs, failed: 10 }),
  );
  const [summary] = summarizeFaults(trials, [cell.id]);
  expect(summary).toMatchObject({
    fault: 'kill',
    trials: 3,
    void: 0,
    found: {
      kept: 3,
      lossy: 0,
      lost: 0,
      doubled: 0,
      inDoubt: 30,
      errors: { 'connection-lost': 30 },
      firstAppliedMs: { median: 500, worst: 900 },
      recoveredMs: { median: 500, worst: 900 },
      latencyMsMax: { median: 490, worst: 890 },
    },
  });
});

test('a trial that has nothing after its fault leaves no time, and the worst is not forgotten', () => {
  const silent = faultTrialOf({ cell, trial: 1, outageMs: 4_500 });
  const never = { ...silent, course: { ...silent.course, firstAppliedMs: null } };
  const [summary] = summarizeFaults([faultTrialOf({ cell }), never], [cell.id]);
  expect(summary?.found?.firstAppliedMs).toBe(null);
  expect(summary?.found?.recoveredMs).toBe(null);
});

test('losses are added up; one that cannot be counted has no number', () => {
  const kept = faultTrialOf({ cell });
  const losing = (trial: number, lost: number | null) =>
    faultTrialOf({ cell, trial }, { rows: { ...kept.rows, outcome: 'lost', lost, rowsUnexplained: 2 } });
  const lostIn = (...trials: Parameters<typeof summarizeFaults>[0]) =>
    summarizeFaults(trials, [cell.id])[0]?.found;
  expect(lostIn(kept, losing(1, 7), losing(2, 5))).toMatchObject({ kept: 1, lossy: 2, lost: 12 });
  const differing = faultTrialOf(
    { cell, trial: 2 },
    { rows: { ...kept.rows, outcome: 'differs', lost: null } },
  );
  expect(lostIn(kept, losing(1, 7), differing)).toMatchObject({ lossy: 1, differing: 1, lost: 7 });
});

test('void trials and faults that cannot be injected are counted with their reasons, and have no number', () => {
  const { cellId, target, connector, fault } = faultTrialOf({ cell });
  const identity = { cellId, target, connector, fault };
  const [summary] = summarizeFaults(
    [
      { status: 'void', ...identity, trial: 0, reason: 'it did not start' },
      { status: 'void', ...identity, trial: 1, reason: 'it did not start' },
    ],
    [cell.id],
  );
  expect(summary).toMatchObject({ trials: 2, void: 2, found: null, reasons: ['it did not start'] });
});
