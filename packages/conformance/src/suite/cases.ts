import { applied, type OperationOutcome, type Row, type Values } from '@fair-bench/contract';
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
interface Writer {
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
 * counts, and no other. The first line says what would explain the rows, where that is a known mistake.
 */
export function unexplained(
  workload: Workload,
  sent: readonly Sent[],
  rows: readonly (readonly Row[])[],
): string[] {
  const isFault = ({ outcome }: Sent): boolean => outcome.kind === 'fault';
  const doubtful = sent.filter(({ outcome }) => outcome.kind === 'fault' && outcome.inDoubt);
  const unexplainedBy = (open: readonly Sent[]): string[] => linesWith(workload, sent, open, rows);
  const lines = unexplainedBy(doubtful);
  if (lines.length === 0) return [];
  const choices = `none of ${2 ** doubtful.length} choices of ${doubtful.length} operations in doubt explains it`;
  if (unexplainedBy(sent.filter(isFault)).length === 0) {
    const mistake =
      'an operation that ended in a fault without doubt was applied: once it was sent, a lost connection leaves it in doubt';
    return [mistake, ...lines, choices];
  }
  // One of them twice, or all that were outstanding when the connection was lost.
  const again = [...sent.map((each) => [each]), ...sent.map((_each, last) => sent.slice(0, last + 1))];
  const isAgain = again.some((second) => {
    const twice = second.map((each): Sent => ({ ...each, outcome: applied }));
    return linesWith(workload, [...sent, ...twice], doubtful, rows).length === 0;
  });
  const mistake =
    'an operation was applied twice: turn off the resending, reconnecting and queue of the driver';
  return [...(isAgain ? [mistake] : []), ...lines, choices];
}

/** The differences with the choice of `open` operations that explains the rows, or with none of them. */
function linesWith(
  workload: Workload,
  sent: readonly Sent[],
  open: readonly Sent[],
  rows: readonly (readonly Row[])[],
): string[] {
  let first: string[] = [];
  for (let choice = 0; choice < 2 ** open.length; choice += 1) {
    const chosen = open.filter((_each, doubt) => ((choice >> doubt) & 1) === 1);
    const happened = sent.filter((each) =>
      open.includes(each) ? chosen.includes(each) : each.outcome.kind === 'applied',
    );
    const { model, store } = createSeededModel(workload);
    for (const { operation, values } of happened) model.execute(operation, values);
    const lines = linesOf(workload, store, rows);
    if (lines.length === 0) return [];
    if (choice === 0) first = lines;
  }
  return first;
}

function linesOf(workload: Workload, store: MemoryStore, rows: readonly (readonly Row[])[]): string[] {
  return workload.tables.flatMap((table) =>
    tableDifferences(table, store.rows(table.number), rows[table.number] ?? []),
  );
}
