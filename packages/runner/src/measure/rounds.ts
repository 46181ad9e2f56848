import { type Artifacts, type Cell, type RunPlan, type TrialRecord, loopOf } from '@fair-bench/results';
import { roundGate } from '../plan/round-gate.ts';
import type { RunContext } from './run-context.ts';
import { messageOf } from '@fair-bench/contract';
import { type Cores, onCores } from '@fair-bench/supervisor';
import type { Targets } from '../provision/targets.ts';
import type { StorageProbes } from '../probes/storage.ts';
import type { LoadClients } from './load-clients.ts';
import { runTrial } from './run-trial.ts';
import type { TrialRun } from './trial-plan.ts';

/** What every trial of a run is measured with. */
export interface Means {
  readonly context: RunContext;
  readonly targets: Targets;
  readonly clients: LoadClients;
  readonly storage: StorageProbes;
  /** The processors that load clients run on; null for all. */
  readonly clientCores: Cores | null;
}

export interface PlannedTrial {
  readonly run: TrialRun;
  readonly cell: Cell;
  /** From 0. */
  readonly round: number;
  readonly logPath: string;
}

/** What the rounds of a plan are measured with. */
export interface Rounds {
  readonly plan: RunPlan;
  readonly artifacts: Artifacts;
  readonly means: Means;
  readonly isMeasurable: (cell: Cell) => boolean;
}

/** Every cell once a round, in the plan's shuffled order, until all are done or the run is interrupted. */
export async function measureRounds({
  plan,
  artifacts,
  means,
  isMeasurable,
}: Rounds): Promise<readonly TrialRecord[]> {
  const { display, signal } = means.context;
  const trials: TrialRecord[] = [];
  const cells = new Map(plan.cells.map((cell) => [cell.id, cell]));
  const order = plan.rounds.flatMap((ids, round) => ids.map((id) => ({ round, cell: cells.get(id) })));
  const due = order.flatMap(({ round, cell }) =>
    cell !== undefined && isMeasurable(cell) ? [{ round, cell }] : [],
  );
  const mayBegin = roundGate(means.context.endsAtMs);
  for (const [index, { round, cell }] of due.entries()) {
    if (signal.aborted || !mayBegin(round)) break;
    display.trialStarted(cell.id, round + 1, index + 1, due.length);
    const logPath = artifacts.outcomeLogPath(`${cell.id}-r${round}`);
    const record = await measureCell(means, { run: plan, cell, round, logPath });
    trials.push(record);
    await artifacts.write(artifacts.trialFile(`${cell.id}-r${round}`), record);
    display.trialEnded(describeTrial(record));
  }
  return trials;
}

/** The plan without the rounds that there was no time for, which it says. */
export function planOfRounds(plan: RunPlan, trials: readonly TrialRecord[], signal: AbortSignal): RunPlan {
  const done = Math.max(0, ...trials.map(({ round }) => round + 1));
  if (signal.aborted || done === 0 || done === plan.rounds.length) return plan;
  const note = `${done} of ${plan.rounds.length} rounds were measured: the time for the run was over.`;
  return { ...plan, rounds: plan.rounds.slice(0, done), notes: [...(plan.notes ?? []), note] };
}

/** One trial of a cell, on a target that is started anew where it has died. Never rejects. */
export async function measureCell(means: Means, trial: PlannedTrial): Promise<TrialRecord> {
  const { context, targets, storage } = means;
  const { run, cell, round, logPath } = trial;
  try {
    const client = means.clients.of(cell);
    if (!client.available) throw new Error(client.reason);
    return await runTrial({
      run: { ...run, loop: loopOf(run, cell) },
      cell,
      round,
      workload: context.workload.description,
      deployment: await targets.ensure(cell.target),
      storage: async (directory) => await storage.of(directory),
      loadClient: onCores(means.clientCores, client.command),
      paths: { client: client.client, log: logPath },
      onStage: (stage) => context.display.phase(stage),
      onEvent: (event) => {
        if (event.type !== 'progress' || event.elapsedMs === 0) return;
        context.display.progress((event.applied / event.elapsedMs) * 1000, event.elapsedMs);
      },
      signal: context.signal,
    });
  } catch (error) {
    const status = context.signal.aborted ? 'interrupted' : 'void';
    const reason = context.signal.aborted ? 'the run was interrupted before this trial' : messageOf(error);
    return { status, cellId: cell.id, round, reason, audit: null, facts: null, warnings: [] };
  }
}

/** A trial's outcome in a line. */
export function describeTrial(record: TrialRecord): string {
  if (record.status !== 'ok') return `${record.status}: ${record.reason}`;
  const warnings = record.warnings.map(({ code }) => code).join(', ');
  return `${Math.round(record.tps)} tps, audit passed${warnings === '' ? '' : `, warnings: ${warnings}`}`;
}
