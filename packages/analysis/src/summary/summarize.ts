import { typedCommand } from '@fair-bench/contract';
import {
  type RunPlan,
  type RunSummary,
  type SummaryInput,
  type TrialRecord,
  describeLoops,
  isPassed,
  runSummarySchema,
  voidsBefore,
  withoutUnauditedNumber,
  type ClaimResult,
  type Explanation,
} from '@fair-bench/results';
import { logLimitBytesDefault } from '@fair-bench/workload';
import { noiseFloorFor, withNoiseFloor } from '../noise-floor/noise-floor.ts';
import { durabilityBasisOf } from '../durability/durability-basis.ts';
import { isolationOfTargets } from '../isolation/observed.ts';
import { assessParity } from '../parity/assess-parity.ts';
import { withAnyRun } from '../history/any-run.ts';
import { summarizeFaults } from '../faults/summarize-faults.ts';
import { summarizeSoak } from '../soak/summarize-soak.ts';
import { findSweeps } from '../sweeps/find-sweeps.ts';
import { withFrequentVoids } from '../audit/machine.ts';
import { summarizeCell } from './cell-summary.ts';
import { comparisonsOf } from './comparisons.ts';
import { disturbanceOfRun } from './disturbance.ts';
import { verdictOf } from './verdict.ts';
import { type ClaimEvidence, judgeClaim } from '../claims/judge-claim.ts';
import { explainTrials } from '../explain/explain.ts';

/**
 * From artifacts to the summary. Pure: the same bytes for the same input. Every cell of the plan is in it. Throws a
 * ZodError when the result does not match the schema.
 */
export function summarize(input: SummaryInput): RunSummary {
  const { interrupted, figures, search = [] } = input;
  const recorded = input.trials.map(withoutUnauditedNumber).toSorted((a, b) => a.round - b.round);
  const trials = withFrequentVoids(recorded);
  const plan = interrupted ? measuredPlan(input.plan, trials) : input.plan;
  const isolation = isolationOfTargets({ ...input, plan, trials });
  const { rows, verdict } = assessParity({
    isolation,
    plan,
    targets: input.targets,
    trials,
    durability: input.durability,
  });
  const noiseFloor = input.noiseFloor === undefined ? null : noiseFloorFor(input.noiseFloor, roundsOf(plan));
  const cells = plan.cells.map((cell) =>
    summarizeCell({
      cell,
      planned: plan.targets.find(({ target }) => target === cell.target),
      outcome: input.targets.find(({ target }) => target === cell.target),
      unavailable: input.unavailableCells?.find(({ cellId }) => cellId === cell.id),
      rounds: plan.rounds.filter((ids) => ids.includes(cell.id)).length,
      roundsPlanned: input.plan.rounds.filter((ids) => ids.includes(cell.id)).length,
      interrupted,
      trials: trials.filter(({ cellId }) => cellId === cell.id),
    }),
  );
  const disturbance = disturbanceOfRun(trials, plan);
  const sweeps = findSweeps(cells, noiseFloor?.ratio);
  const comparisons = comparisonsOf(plan, trials).map((each) =>
    withNoiseFloor(each, noiseFloor && noiseFloorFor(noiseFloor, each.rounds)),
  );
  const run = identityOf(input, plan, trials);
  const numbers = { run, search, cells, comparisons };
  return runSummarySchema.parse({
    schemaVersion: 4,
    run,
    verdict: verdictOf({ parity: verdict, cells, trials: recorded, disturbed: disturbance.cells.length > 0 }),
    parity: rows,
    ...(input.earlierRuns === undefined ? { cells, comparisons } : withAnyRun(numbers, input.earlierRuns)),
    ...(figures === undefined ? {} : { figures }),
    disturbance,
    ...auditedOf(trials),
    durability: durabilityOf(input),
    isolation,
    ...(search.length === 0 ? {} : { search }),
    ...answersOf(input, { plan, cells, trials }),
    ...(sweeps.length === 0 ? {} : { sweeps }),
    ...faultsOf(input),
    ...(plan.soak === undefined ? {} : { soak: summarizeSoak(plan, trials) }),
    ...(noiseFloor === null ? {} : { noiseFloor }),
  });
}

function faultsOf({ plan, faultTrials = [] }: SummaryInput): Pick<RunSummary, 'faults'> {
  if (plan.faults === undefined) return {};
  return {
    faults: summarizeFaults(
      faultTrials,
      plan.cells.map(({ id }) => id),
    ),
  };
}

/** Which run it is, and how it was measured. */
function identityOf(
  { environment, startedAt, endedAt, interrupted, question }: SummaryInput,
  plan: RunPlan,
  trials: readonly TrialRecord[],
): RunSummary['run'] {
  const voidsMeasuredAgain = trials.flatMap(voidsBefore).length;
  return {
    id: plan.id,
    mode: plan.mode,
    workload: plan.cells[0]?.workload ?? question?.claim?.claim.workload ?? '',
    workloadSha256: plan.workloadSha256,
    seed: plan.seed,
    startedAt,
    endedAt,
    interrupted,
    command: describeCommand(plan.command),
    environment,
    rounds: roundsOf(plan),
    durationMs: plan.timing.windowMs,
    warmupMs: plan.timing.warmupMs,
    loop: describeLoops(plan, plan.cells),
    ...idleServersOf(trials),
    inDoubtShareMax: plan.inDoubtShareMax,
    faultsShareMax: plan.faultsShareMax,
    ...(voidsMeasuredAgain === 0 ? {} : { voidsMeasuredAgain }),
    ...(plan.notes === undefined ? {} : { notes: [...plan.notes] }),
  };
}

/** The most rounds that a cell was measured in. */
function roundsOf({ rounds, soak }: RunPlan): number {
  return soak === undefined ? rounds.filter((ids) => ids.length > 0).length : soak.slices;
}

/** An interrupted cell with fewer rounds has no interval. */
const roundsKept = 2;

/**
 * The plan with the rounds that an interrupted run measured: what was measured in two rounds or more keeps its number. A
 * void stays due.
 */
function measuredPlan(plan: RunPlan, trials: readonly TrialRecord[]): RunPlan {
  const done = trials.filter(({ status }) => status !== 'interrupted');
  const rounds = plan.rounds.map((ids, round) =>
    ids.filter((id) => done.some((trial) => trial.cellId === id && trial.round === round)),
  );
  const count = (all: RunPlan['rounds'], id: string): number => all.filter((ids) => ids.includes(id)).length;
  const isKept = (id: string): boolean => count(rounds, id) >= Math.min(roundsKept, count(plan.rounds, id));
  return { ...plan, rounds: rounds.map((ids) => ids.filter(isKept)) };
}

/** The most that servers used while they waited for their turn. */
function idleServersOf(trials: readonly TrialRecord[]): Pick<RunSummary['run'], 'idleServersShareMax'> {
  const shares = trials.flatMap((trial) =>
    trial.status === 'ok' && trial.idleServersShare !== undefined ? [trial.idleServersShare] : [],
  );
  return shares.length === 0 ? {} : { idleServersShareMax: Math.max(...shares) };
}

/** What each ready target reports of its durability, and how that is known. */
function durabilityOf({ durability, targets }: SummaryInput): RunSummary['durability'] {
  return durability.flatMap((evidence) => {
    const facts = targets.find(({ target }) => target === evidence.target)?.facts ?? null;
    if (facts === null) return [];
    return [{ ...evidence, durability: facts.durability, basis: durabilityBasisOf(facts, evidence) }];
  });
}

/** The command that repeats the run; into a new folder, because a folder holds one run. */
function describeCommand([script, ...words]: readonly string[]): string {
  if (script === undefined) return '';
  const options = words.filter((word, index) => words[index - 1] !== '--out' && !/^--out(=|$)/.test(word));
  return typedCommand(script, options.map(quoted));
}

function quoted(word: string): string {
  return /^[A-Za-z0-9@%+=:,./_-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

interface Answers {
  readonly explanation?: Explanation;
  readonly claim?: ClaimResult;
}

/** The answers to a run's question. Pure. A gap with an unmeasured end has no explanation. */
function answersOf(
  { question: { explain, claim } = {}, environment, startedAt, endedAt }: SummaryInput,
  run: Pick<ClaimEvidence, 'plan' | 'cells' | 'trials'>,
): Answers {
  const elapsedMs = Date.parse(endedAt) - Date.parse(startedAt);
  const explanation = explain === undefined ? null : explainTrials(explain, run.plan, run.trials);
  return {
    ...(explanation === null ? {} : { explanation }),
    ...(claim === undefined ? {} : { claim: judgeClaim({ design: claim, environment, elapsedMs, ...run }) }),
  };
}

/** What the audits of the trials with a number asserted, and how large their logs were. */
function auditedOf(trials: readonly TrialRecord[]): Pick<RunSummary, 'audit'> {
  const passed = trials.filter(isPassed);
  const asserted = new Map<string, { assertions: Set<string>; notAsserted: Set<string> }>();
  for (const { audit } of passed) {
    for (const { operation, assertions, notAsserted = [] } of audit.asserted ?? []) {
      const known = asserted.get(operation) ?? { assertions: new Set(), notAsserted: new Set() };
      for (const assertion of assertions) known.assertions.add(assertion);
      for (const assertion of notAsserted) known.notAsserted.add(assertion);
      asserted.set(operation, known);
    }
  }
  if (asserted.size === 0) return {};
  const every = passed.map(({ audit }) => audit.readsOfEvery ?? 1);
  return {
    audit: {
      logBytesMax: Math.max(...passed.map(({ result }) => result.log?.bytes ?? 0)),
      logBytesBound: logLimitBytesDefault,
      readsOfEvery: every.includes(0) ? 0 : Math.max(...every),
      asserted: [...asserted].map(([operation, { assertions, notAsserted }]) => ({
        operation,
        assertions: [...assertions],
        notAsserted: [...notAsserted],
      })),
    },
  };
}
