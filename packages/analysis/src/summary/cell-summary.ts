import {
  type Cell,
  type CellSummary,
  type MeasuredCell,
  type PassedTrial,
  type PlannedTarget,
  type TargetOutcome,
  type TrialRecord,
  type UnavailableCell,
  type VoidCellTrial,
  isPassed,
  cellLoadOf,
  trialFile,
} from '@fair-bench/results';
import type { Facts } from '@fair-bench/contract';
import { auditOf, measuresOf, onceEach } from './measures.ts';

interface CellInput {
  readonly cell: Cell;
  readonly planned: PlannedTarget | undefined;
  readonly outcome: TargetOutcome | undefined;
  /** Where the cell is unavailable though its target is not. */
  readonly unavailable?: UnavailableCell | undefined;
  /** Rounds that had this cell; of an interrupted run, those that were measured. */
  readonly rounds: number;
  readonly roundsPlanned: number;
  readonly interrupted: boolean;
  /** In the order of their rounds. */
  readonly trials: readonly TrialRecord[];
}

/**
 * The summary of a cell. Void when one of its trials is; interrupted when the run ended before all of its trials;
 * unavailable when its target is; void when its target was lost before; a mean only when every trial passed.
 */
export function summarizeCell(input: CellInput): CellSummary {
  const { outcome, rounds, interrupted, trials } = input;
  const unavailable = outcome?.unavailable ?? input.unavailable ?? null;
  if (trials.length === 0 && unavailable !== null) {
    const { reason, remedy } = unavailable;
    const left = input.planned?.leftOut === undefined ? {} : { leftOut: true as const };
    return { ...identityOf(input), status: 'unavailable', ...left, reason, remedy };
  }
  if (trials.length === 0 && outcome?.lost !== undefined) {
    return voidCell(input, `${outcome.lost.reason}; ${outcome.lost.remedy}`);
  }
  if (trials.some(({ status }) => status === 'void')) return voidCell(input, reasonsOf(input));
  const passed = trials.filter(isPassed);
  if (rounds > 0 && passed.length === rounds) {
    const measures = measuresOf(passed);
    if (measures === null) return voidCell(input, 'no operation was applied in any window');
    return { ...identityOf(input), status: 'ok', ...measures, ...costOf(input.planned, measures.tps.mean) };
  }
  if (interrupted) return interruptedCell(input, passed);
  return voidCell(input, `${passed.length} of ${rounds} trials were recorded`);
}

function identityOf({ cell, planned }: CellInput) {
  const { id, target, poolSize } = cell;
  const { system, route } = planned ?? { system: target, route: '' };
  return {
    id,
    target,
    system,
    route,
    ...cellLoadOf(cell),
    ...(poolSize === undefined ? {} : { poolSize }),
    ...(planned === undefined ? {} : { durability: planned.durability, profile: planned.profile }),
  };
}

/** What a target costs runs on, whatever it does: the faster one makes more of an hour. */
function costOf(planned: PlannedTarget | undefined, tps: number): Pick<MeasuredCell, 'costPerMillion'> {
  if (planned?.price === undefined || !(tps > 0)) return {};
  const { perHour, currency } = planned.price;
  return { costPerMillion: { amount: (perHour / 3600 / tps) * 1e6, currency } };
}

/** A cell with a void has no number; the trials that passed stay in their files. */
function voidCell(input: CellInput, reason: string): CellSummary {
  const trials = input.trials.map((trial): VoidCellTrial => {
    const { round, status, discardedTrials } = trial;
    const one = {
      round,
      file: trialFile(trial),
      ...(discardedTrials === undefined ? {} : { discardedTrials }),
    };
    return status === 'ok' ? { ...one, status: 'held' } : { ...one, status, reason: trial.reason };
  });
  return { ...identityOf(input), status: 'void', reason, ...unmeasured(input), trials };
}

function interruptedCell(input: CellInput, passed: readonly PassedTrial[]): CellSummary {
  const trials = input.trials.map((trial) => {
    const { round } = trial;
    const file = trialFile(trial);
    if (trial.status === 'ok') return { round, status: trial.status, tps: trial.tps, file };
    return { round, status: 'interrupted' as const, reason: trial.reason, file };
  });
  const reason = `the run was interrupted: ${passed.length} of ${input.roundsPlanned} trials were done`;
  return { ...identityOf(input), status: 'interrupted', reason, ...unmeasured(input), trials };
}

function unmeasured({ trials, outcome }: CellInput) {
  const facts: Facts | null = trials.map(factsOf).findLast((one) => one !== null) ?? outcome?.facts ?? null;
  return { audit: auditOf(trials), facts, warnings: onceEach(trials.flatMap(({ warnings }) => warnings)) };
}

function factsOf(trial: TrialRecord): Facts | null {
  return trial.status === 'ok' ? trial.factsAfter : trial.facts;
}

function reasonsOf({ trials, rounds }: CellInput): string {
  const reasons = trials.flatMap((trial) =>
    trial.status === 'void' ? [`round ${trial.round + 1}: ${trial.reason}`] : [],
  );
  const passed = trials.filter(isPassed).length;
  return `${reasons.join('; ')} (${passed} of ${rounds} trials passed)`;
}
