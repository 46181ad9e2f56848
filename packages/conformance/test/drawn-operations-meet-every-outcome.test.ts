import {
  createSeededModel,
  drawnCases,
  drawnCount,
  smallWorkload,
  type Workload,
} from '@fair-bench/workload';
import { expect, test } from 'vitest';
import { workloadNamed, workloadNames } from '../src/workloads.ts';

/** What each operation does: it is applied with or without rows, or declined by one of its rules. */
function outcomesOf(workload: Workload, count: number): ReadonlySet<string> {
  const { model, store } = createSeededModel(workload);
  const seen = new Set<string>();
  for (const { operation, expected } of drawnCases(model, store, count)) {
    const { name = '' } = workload.operations[operation] ?? {};
    seen.add(
      `${name} ${expected.kind === 'declined' ? `declined by rule ${expected.rule}` : replied(expected.reply)}`,
    );
  }
  return seen;
}

function replied(reply: { readonly kind: string; readonly rows?: readonly unknown[] } | null): string {
  return `applied, ${reply?.rows?.length === 0 ? 'no' : 'with'} ${reply?.kind ?? 'reply'}`;
}

test.each(workloadNames())(
  'the operations that are drawn of %s meet every outcome that four times as many meet',
  async (name) => {
    const workload = smallWorkload((await workloadNamed(name)).description);
    const drawn = outcomesOf(workload, drawnCount);
    expect([...outcomesOf(workload, 4 * drawnCount)].filter((outcome) => !drawn.has(outcome))).toEqual([]);
  },
);
