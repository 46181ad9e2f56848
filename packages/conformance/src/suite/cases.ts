import type { OperationOutcome, Row, Values } from '@fair-bench/contract';
import {
  type ConformanceCase,
  createSeededModel,
  drawerOf,
  type MemoryStore,
  type Workload,
  tableDifferences,
} from '@fair-bench/workload';

export type { ConformanceCase } from '@fair-bench/workload';

/** An operation of a workload whose effects commute, if it has one. */
export interface Writer {
  readonly operation: number;
  /** Whether it writes. */
  readonly writes: boolean;
  /** This many drawn operations that are applied when they run in order on freshly seeded rows. */
  applied(count: number): ConformanceCase[];
}

/** The workload's first operation that only adds or inserts; otherwise one that writes; otherwise the first. */
export function writerOf(workload: Workload): Writer {
  const { operations } = workload;
  const commutes = operations.find(
    ({ writes, description: { effects } }) =>
      writes &&
      effects.every((effect) =>
        ['add', 'insert'].includes((effect.kind === 'each' ? effect.effect : effect).kind),
      ),
  );
  const operation = commutes ?? operations.find(({ writes }) => writes) ?? operations[0];
  if (operation === undefined) throw new Error(`workload ${workload.description.name}: it has no operation`);
  return {
    operation: operation.number,
    writes: operation.writes,
    applied(count) {
      const { model } = createSeededModel(workload);
      const draw = drawerOf(workload, operation);
      const cases: ConformanceCase[] = [];
      for (let drawn = 0; cases.length < count && drawn < 100 * count; drawn += 1) {
        const values = draw();
        const expected = model.execute(operation.number, values);
        if (expected.kind === 'applied') cases.push({ operation: operation.number, values, expected });
      }
      return cases;
    },
  };
}

/** A sent operation with its outcome. */
export interface Sent {
  readonly operation: number;
  readonly values: Values;
  readonly outcome: OperationOutcome;
}

/**
 * Why no choice of the operations in doubt explains the rows, in lines; empty if one does. Every applied operation
 * counts, and no other.
 */
export function unexplained(
  workload: Workload,
  sent: readonly Sent[],
  rows: readonly (readonly Row[])[],
): string[] {
  const doubtful = sent.filter(({ outcome }) => outcome.kind === 'fault' && outcome.inDoubt);
  let first: string[] = [];
  for (let choice = 0; choice < 2 ** doubtful.length; choice += 1) {
    const happened = sent.filter((each) => {
      const doubt = doubtful.indexOf(each);
      return doubt === -1 ? each.outcome.kind === 'applied' : ((choice >> doubt) & 1) === 1;
    });
    const { model, store } = createSeededModel(workload);
    for (const { operation, values } of happened) model.execute(operation, values);
    const lines = linesOf(workload, store, rows);
    if (lines.length === 0) return [];
    if (choice === 0) first = lines;
  }
  return [
    ...first,
    `none of ${2 ** doubtful.length} choices of ${doubtful.length} operations in doubt explains it`,
  ];
}

function linesOf(workload: Workload, store: MemoryStore, rows: readonly (readonly Row[])[]): string[] {
  return workload.tables.flatMap((table) =>
    tableDifferences(table, store.rows(table.number), rows[table.number] ?? []),
  );
}
