import {
  createSeededModel,
  drawnCases,
  drawnCount,
  type ModelOutcome,
  smallWorkload,
  type Workload,
} from '@fair-bench/workload';
import { chosen } from '@fair-bench/contract/test-support';
import { expect, test } from 'vitest';
import { workloadNamed, workloadNames } from '../src/workloads.ts';

/** What each operation does: it is applied with or without rows, or declined by one of its rules. */
function outcomesOf(workload: Workload, count: number): ReadonlySet<string> {
  const { model, store } = createSeededModel(workload);
  const seen = new Set<string>();
  for (const { operation, expected } of drawnCases(model, store, count)) {
    const { name = '' } = workload.operations[operation] ?? {};
    seen.add(`${name} ${wordsOf(expected)}`);
  }
  return seen;
}

function wordsOf(expected: ModelOutcome): string {
  if (expected.kind === 'declined') return `declined by rule ${expected.rule}`;
  if (expected.kind === 'fault') return `failed: ${expected.code}`;
  if (expected.rows === null) return 'applied';
  return expected.rows.length === 0 ? 'applied, no rows' : 'applied with rows';
}

// What is drawn depends on the description and on how it is drawn, which these two use whole.
const workloads = chosen(workloadNames(), (name) => name === 'transfer' || name === 'objects');

test.each(workloads)(
  'the operations that are drawn of %s meet every outcome that four times as many meet',
  async (name) => {
    const workload = smallWorkload((await workloadNamed(name)).description);
    const drawn = outcomesOf(workload, drawnCount);
    expect([...outcomesOf(workload, 4 * drawnCount)].filter((outcome) => !drawn.has(outcome))).toEqual([]);
  },
);
