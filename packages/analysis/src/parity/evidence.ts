import type {
  Cell,
  Contention,
  DurabilityEvidence,
  ObservedIsolation,
  PlannedTarget,
  RunPlan,
  DurabilityBasis,
  TargetIsolation,
  TargetOutcome,
  TrialRecord,
} from '@fair-bench/results';
import { durabilityBasisOf } from '../durability/durability-basis.ts';
import type { Facts, FairSetting } from '@fair-bench/contract';

export interface ParityInput {
  readonly plan: RunPlan;
  readonly targets: readonly TargetOutcome[];
  readonly trials: readonly TrialRecord[];
  readonly durability: readonly DurabilityEvidence[];
  readonly isolation?: readonly TargetIsolation[];
}

/** Facts as read at one moment. */
export interface Reading {
  readonly when: string;
  readonly facts: Facts;
}

export type MeasuredTrial = Extract<TrialRecord, { status: 'ok' }>;

/** All that is known of one measured target: what was planned for it, what it said, what was measured. */
export interface TargetEvidence {
  readonly target: string;
  readonly planned: PlannedTarget;
  readonly fairProfile: readonly FairSetting[];
  readonly cells: readonly Cell[];
  /** In the order in which they were taken; never empty. */
  readonly readings: readonly Reading[];
  readonly trials: readonly MeasuredTrial[];
  /** Those of cells without a void: only of them may a figure be shown that says how fast they were. */
  readonly trialsWithNumber: readonly MeasuredTrial[];
  /** How far its durability is shown. */
  readonly basis: DurabilityBasis;
  /** Null where it was not rehearsed. */
  readonly contention: Contention | null;
  /** Null where no trial of a workload with versions showed it. */
  readonly isolation: ObservedIsolation | null;
}

/** The targets that were measured: those with a trial that got as far as reading facts. In the plan's order. */
export function evidenceOf({
  plan,
  targets,
  trials,
  durability,
  isolation = [],
}: ParityInput): readonly TargetEvidence[] {
  return plan.targets.flatMap((planned) => {
    const { target } = planned;
    const outcome = targets.find((candidate) => candidate.target === target);
    const cells = plan.cells.filter((cell) => cell.target === target);
    const ids = new Set(cells.map(({ id }) => id));
    const own = trials.filter(({ cellId }) => ids.has(cellId)).toSorted((a, b) => a.round - b.round);
    const duringTrials = own.flatMap(readingsOf);
    if (duringTrials.length === 0) return [];
    const facts = outcome?.facts ?? null;
    const atStart = facts === null ? [] : [{ when: 'when it was ready', facts }];
    const readings = [...atStart, ...duringTrials];
    const last = readings.at(-1);
    if (last === undefined) return [];
    const passed = own.filter((trial) => trial.status === 'ok');
    const voidCells = new Set(own.flatMap(({ status, cellId }) => (status === 'void' ? cellId : [])));
    const known = durability.find((one) => one.target === target) ?? null;
    return [
      {
        target,
        planned,
        fairProfile: outcome?.fairProfile ?? [],
        contention: outcome?.contention ?? null,
        isolation: isolation.find((one) => one.target === target)?.observed ?? null,
        cells,
        readings,
        basis: durabilityBasisOf(last.facts, known),
        trials: passed,
        trialsWithNumber: passed.filter(({ cellId }) => !voidCells.has(cellId)),
      },
    ];
  });
}

/** The value of a line about writes, for a target that wrote nothing. */
export const nothingWritten = 'no operation writes';

/** Whether no operation that writes was carried out: nothing is committed, and nothing of it need be flushed. */
export function isReadOnly({ trials }: TargetEvidence): boolean {
  const writing = trials.flatMap(({ result }) => result.operations.filter(({ writes }) => writes));
  return (
    trials.length > 0 && writing.every(({ total }) => total.applied + total.declined + total.faults === 0)
  );
}

function readingsOf(trial: TrialRecord): readonly Reading[] {
  const where = `${trial.cellId} in round ${trial.round + 1}`;
  if (trial.status !== 'ok') return trial.facts === null ? [] : [{ when: where, facts: trial.facts }];
  return [
    { when: `before ${where}`, facts: trial.factsBefore },
    { when: `after ${where}`, facts: trial.factsAfter },
  ];
}
