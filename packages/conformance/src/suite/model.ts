import { expect, test } from 'vitest';
import {
  boundaryCases,
  type ConformanceCase,
  createSeededModel,
  drawnCases,
  type MemoryStore,
  type Model,
  type Workload,
  Differences,
  outcomeDifference,
  shortText,
  tableDifferences,
} from '@fair-bench/workload';
import { writerOf } from './cases.ts';
import type { Fixture, RunningTarget } from './fixture.ts';

const casesTimeoutMs = 120_000;
const boundaryTest = 'at the boundaries of every argument';

/** The model comes from the workload's description: none of these cases is written by hand. */
export function testModel(fixture: Fixture, drawnOperations: number): void {
  test(
    `${boundaryTest}, outcomes, replies and rows are those of the model`,
    async ({ skip }) => {
      const target = fixture.target(skip);
      const lines = await follow(target, { cases: boundaryCases, rowsAfterEach: true });
      fixture.judged(boundaryTest, lines.length === 0);
      expect(lines, lines.join('\n')).toEqual([]);
    },
    casesTimeoutMs,
  );

  test(
    `over ${drawnOperations} drawn operations, outcomes, replies and rows are those of the model`,
    async ({ skip }) => {
      const target = fixture.soundTarget(skip);
      const cases = (model: Model, store: MemoryStore) => drawnCases(model, store, drawnOperations);
      expect(await follow(target, { cases, rowsAfterEach: false })).toEqual([]);
    },
    casesTimeoutMs,
  );

  test('refuses an integer beyond 64 bits as invalid-request before any rule, and applies nothing', async ({
    skip,
  }) => {
    const target = fixture.soundTarget(skip);
    const workload = await target.seed();
    const [operation, slot] = placeOfInt64(workload) ?? skip('no operation takes a 64-bit integer');
    const [good] = writerOf(workload).applied(1);
    const differences = new Differences();
    await target.withSession(workload, async (session) => {
      const values = valuesOf(workload, operation) ?? [];
      for (const beyond of [2n ** 63n, 2n ** 64n + 1n, -(2n ** 63n) - 1n]) {
        const outcome = await session.execute(operation, values.with(slot, beyond));
        const refused = outcome.kind === 'fault' && outcome.code === 'invalid-request' && !outcome.inDoubt;
        if (!refused) differences.add(`not refused but ${JSON.stringify(outcome)}`, String(beyond));
      }
      expect(differences.lines()).toEqual([]);
      expect(await allDifferences(target, workload, createSeededModel(workload).store)).toEqual([]);
      if (good === undefined) return;
      const next = await session.execute(good.operation, good.values);
      expect(next.kind, 'the session still works').toBe('applied');
    });
  });
}

interface Following {
  readonly cases: (model: Model, store: MemoryStore) => Iterable<ConformanceCase>;
  /** Reads every row by another connection after each operation: an acknowledged operation is visible at once. */
  readonly rowsAfterEach: boolean;
}

/**
 * Executes cases one at a time and compares with the model. Ends at the first difference that changes the rows: later
 * ones would be the same mistake again.
 */
async function follow(target: RunningTarget, { cases, rowsAfterEach }: Following): Promise<string[]> {
  const workload = await target.seed();
  const { model, store } = createSeededModel(workload);
  const differences = new Differences();
  return await target.withSession(workload, async (session) => {
    for (const each of cases(model, store)) {
      const { operation, values, expected } = each;
      const writes = workload.operations[operation]?.writes === true;
      const outcome = await session.execute(operation, values);
      const difference = outcomeDifference(workload, store, each, outcome);
      if (difference !== null) differences.add(difference, shortText(values));
      if (writes && outcome.kind !== expected.kind && [outcome.kind, expected.kind].includes('applied')) {
        return differences.lines();
      }
      if (!rowsAfterEach || !writes) continue;
      const lines = await allDifferences(target, workload, store);
      if (lines.length > 0) {
        const name = workload.operations[operation]?.name ?? '';
        const twice = expected.kind === 'applied' && model.execute(operation, values).kind === 'applied';
        const isDoubled = twice && (await allDifferences(target, workload, store)).length === 0;
        const after = isDoubled
          ? `${target.name}: one call of execute applied ${name} ${shortText(values)} twice; send an operation once, and never again`
          : `after ${name} ${shortText(values)}, ${expected.kind}:`;
        return [...differences.lines(), after, ...lines];
      }
    }
    return [...differences.lines(), ...(await allDifferences(target, workload, store))];
  });
}

async function allDifferences(
  target: RunningTarget,
  workload: Workload,
  store: MemoryStore,
): Promise<string[]> {
  const lines: string[] = [];
  for (const table of workload.tables) {
    const rows = await target.rows(workload, table.number);
    lines.push(...tableDifferences(table, store.rows(table.number), rows));
  }
  return lines;
}

/** The first argument of type int64: its operation and its place there. */
function placeOfInt64({ operations }: Workload): readonly [number, number] | null {
  for (const { number, arguments: all } of operations) {
    const slot = all.findIndex((argument) => argument.kind === 'scalar' && argument.type.kind === 'int64');
    if (slot !== -1) return [number, slot];
  }
  return null;
}

function valuesOf(workload: Workload, operation: number): ConformanceCase['values'] | undefined {
  const { model, store } = createSeededModel(workload);
  for (const each of drawnCases(model, store, workload.operations.length)) {
    if (each.operation === operation) return each.values;
  }
  return undefined;
}
