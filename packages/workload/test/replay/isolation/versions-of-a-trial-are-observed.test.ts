import { noAnomalies, type OperationOutcome, type ScalarValue } from '@fair-bench/contract';
import isolation from '@fair-bench/workloads/isolation';
import { expect, test } from 'vitest';
import { Model } from '../../../src/index.ts';
import { type Bench, change, examplesOf, lost, outcomeOf, type Target, trial, truth } from '../simulation.ts';

const setting = { description: isolation, parameters: { items: 5 }, sessions: 6, operations: 400 };

test('operations one at a time show no anomaly', async () => {
  const finding = await trial(truth, setting);
  expect(examplesOf(finding)).toBe('');
  expect(finding).toMatchObject({
    status: 'passed',
    isolation: { operations: 2400, anomalies: noAnomalies, examples: [] },
  });
});

test('neither do operations in doubt, applied or not, nor those that failed', async () => {
  const failed: OperationOutcome = {
    kind: 'fault',
    code: 'serialization-failure',
    inDoubt: false,
    message: '',
    retries: 0,
  };
  let count = 0;
  const finding = await trial(
    (bench) => ({
      execute(call) {
        count += 1;
        if (count % 7 === 0) return failed;
        if (count % 200 !== 0) return bench.honest(call);
        if (count % 400 === 0) bench.honest(call);
        return lost;
      },
    }),
    setting,
  );
  expect(examplesOf(finding)).toBe('');
  expect(finding).toMatchObject({ status: 'passed', isolation: { anomalies: noAnomalies } });
});

/** Answers some operations from, and writes upon, rows as they were a while ago. */
function readsAnOldSnapshot(bench: Bench): Target {
  let old = bench.store.rows(0).map((row) => [...row]);
  let count = 0;
  return {
    execute(call) {
      count += 1;
      if (count % 10 === 0) old = bench.store.rows(0).map((row) => [...row]);
      const now = bench.store.rows(0).map((row) => [...row]);
      for (const row of old) if (count % 3 === 0) bench.store.put(0, row);
      const outcome = bench.honest(call);
      if (count % 3 !== 0) return outcome;
      // Only what this operation wrote stays of it.
      const own = bench.store.rows(0).filter((row, place) => row[2] !== old[place]?.[2]);
      for (const row of now) bench.store.put(0, row);
      for (const row of own) bench.store.put(0, row);
      return outcome;
    },
  };
}

test('a store that answers from an old snapshot loses updates and is stale', async () => {
  const { isolation: seen, status } = await trial(readsAnOldSnapshot, setting);
  expect(status).toBe('passed');
  expect(seen?.anomalies['lost-update']).toBeGreaterThan(10);
  expect(seen?.anomalies['stale-read']).toBeGreaterThan(10);
  expect(seen?.examples.join('\n')).toMatch(
    /^stale-read: operation \d+ of session \d found version \d+ (seeded|of operation \d+ of session \d) as item\.version of row \d$/m,
  );
});

test.each<[string, Record<number, ScalarValue>, RegExp]>([
  ['a version that nobody wrote', { 1: 1_000_000n, 2: -1n }, /versions that nobody wrote/],
  ['the seeded version', { 1: 0n, 2: -1n }, /applied writes of a version that are not there/],
])('%s is there in the end: void at any level', async (_, changes, reason) => {
  const finding = await trial(
    (bench) => ({ ...truth(bench), after: () => change(bench, 0, [3], changes) }),
    setting,
  );
  expect(examplesOf(finding)).toMatch(reason);
});

test('a write that was acknowledged and is not there is void, whatever the level', async () => {
  const finding = await trial((bench) => {
    const reading = new Model(
      {
        ...bench.workload,
        operations: bench.workload.operations.map((each) => ({
          ...each,
          description: { ...each.description, effects: [] },
        })),
      },
      bench.store,
    );
    let count = 0;
    return {
      execute(call) {
        count += 1;
        // After the last one nobody writes the row again.
        return count > 2300 ? outcomeOf(reading, call) : bench.honest(call);
      },
    };
  }, setting);
  expect(examplesOf(finding)).toMatch(/applied writes of a version that are not there/);
});
