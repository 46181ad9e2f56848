import type { Cell, Connector, PlannedTarget, RunPlan, RunSummary } from '@fair-bench/contract';
import { loadClientMain } from '@fair-bench/load-client';
import { createSupervisor } from '@fair-bench/supervisor';
import { Artifacts } from './artifacts.ts';
import type { RunContext } from './cli/run-context.ts';
import { captureEnvironment } from './environment/index.ts';
import { messageOf } from './error-message.ts';
import { runTrial } from './measure/run-trial.ts';
import { loopOf } from './plan/index.ts';
import { Targets, type TargetState } from './provision/targets.ts';
import { summarize, type TargetOutcome, writeReports } from './report/index.ts';
import type { TrialRecord } from './report/trial-record.ts';
import { StorageRulers } from './rulers/storage-rulers.ts';

/**
 * Carries out a plan: provision → rounds of (seed → measure → audit) → report. Whatever happens, nothing
 * that was started is left running when this settles, and what was measured is in the summary. An abort of
 * the context's signal ends the run early with `interrupted` in the summary; it does not reject.
 */
export async function runBenchmark(plan: RunPlan, context: RunContext): Promise<RunSummary> {
  const startedAt = new Date().toISOString();
  const artifacts = new Artifacts(context.directory);
  await artifacts.open();
  await artifacts.write('plan.json', plan);
  const supervisor = createSupervisor({
    logDirectory: artifacts.logDirectory,
    signal: context.signal,
    ...(context.dataDirectory === null ? {} : { dataRoot: context.dataDirectory }),
  });
  const { urls, signal } = context;
  const connectors = new Map([...context.connectors].map(([name, loaded]) => [name, loaded.connector]));
  const targets = new Targets(plan, { connectors, urls, supervisor, signal });
  const rulers = new StorageRulers();
  try {
    const states = await provisionAll(plan, targets, context);
    const environment = await describeMachine(context, states, rulers);
    await artifacts.write('environment.json', environment);
    const outcomes = plan.targets.map((target) => targetOutcome(target, states, connectors));
    await artifacts.write('targets.json', outcomes);
    const trials = await measureRounds({ plan, context, artifacts, targets, states, rulers });
    const times = { startedAt, endedAt: new Date().toISOString(), interrupted: context.signal.aborted };
    const summary = summarize({ plan, environment, targets: outcomes, trials, ...times });
    await artifacts.write('run.json', times);
    await writeReports(context.directory, summary).catch((error: unknown) => {
      artifacts.failures.push(`results: ${messageOf(error)}; free disk space and run again`);
    });
    return summary;
  } finally {
    for (const failure of await targets.closeAll()) context.display.message(failure);
    await supervisor.stopAll();
    for (const failure of artifacts.failures) context.display.message(failure);
  }
}

async function provisionAll(
  plan: RunPlan,
  targets: Targets,
  { display, signal }: RunContext,
): Promise<ReadonlyMap<string, TargetState>> {
  const states = new Map<string, TargetState>();
  // One after the other: targets of one system wait for the same server.
  for (const target of plan.targets) {
    if (signal.aborted) break;
    const state = await targets.provision(target);
    states.set(target.target, state);
    display.message(`${target.target}: ${describeState(state)}`);
  }
  return states;
}

function describeState(state: TargetState): string {
  if (state.status === 'interrupted') return 'interrupted while it was started';
  if (state.status === 'unavailable') return `unavailable: ${state.reason}; ${state.remedy}`;
  const { system, provider, durability, storage } = state.facts;
  return `ready (${system.name} ${system.version}, ${provider}, ${durability}, ${storage.fileSystem})`;
}

async function describeMachine(
  context: RunContext,
  states: ReadonlyMap<string, TargetState>,
  rulers: StorageRulers,
): ReturnType<typeof captureEnvironment> {
  const ready = [...states.values()].filter((state) => state.status === 'ready');
  const directories = ready.flatMap(({ storageDirectory }) => storageDirectory ?? []);
  const directory = directories[0] ?? context.directory;
  const ruler = await rulers.of(directories[0] ?? null);
  return await captureEnvironment({
    root: context.root,
    dataRoot: directory,
    fsyncPerSecond: ruler?.fsyncPerSecond ?? null,
  });
}

function targetOutcome(
  { target, connector }: PlannedTarget,
  states: ReadonlyMap<string, TargetState>,
  connectors: ReadonlyMap<string, Connector>,
): TargetOutcome {
  const fairProfile = connectors.get(connector)?.fairProfile ?? [];
  const state = states.get(target);
  if (state?.status === 'ready') return { target, fairProfile, facts: state.facts, unavailable: null };
  if (state?.status !== 'unavailable') return { target, fairProfile, facts: null, unavailable: null };
  return { target, fairProfile, facts: null, unavailable: { reason: state.reason, remedy: state.remedy } };
}

interface Rounds {
  readonly plan: RunPlan;
  readonly context: RunContext;
  readonly artifacts: Artifacts;
  readonly targets: Targets;
  readonly states: ReadonlyMap<string, TargetState>;
  readonly rulers: StorageRulers;
}

/** Every cell once a round, in the plan's shuffled order, until all are done or the run is interrupted. */
async function measureRounds(rounds: Rounds): Promise<readonly TrialRecord[]> {
  const { plan, context, artifacts, states } = rounds;
  const trials: TrialRecord[] = [];
  const cells = new Map(plan.cells.map((cell) => [cell.id, cell]));
  const order = plan.rounds.flatMap((ids, round) => ids.map((id) => ({ round, cell: cells.get(id) })));
  const due = order.flatMap(({ round, cell }) =>
    cell !== undefined && states.get(cell.target)?.status === 'ready' ? [{ round, cell }] : [],
  );
  for (const [index, { round, cell }] of due.entries()) {
    if (context.signal.aborted) break;
    context.display.trialStarted(cell.id, round + 1, index + 1, due.length);
    const record = await measureCell(rounds, cell, round);
    trials.push(record);
    await artifacts.write(artifacts.trialFile(`${cell.id}-r${round}`), record);
    context.display.trialEnded(describeTrial(record));
  }
  return trials;
}

async function measureCell(rounds: Rounds, cell: Cell, round: number): Promise<TrialRecord> {
  const { plan, context, artifacts, targets, rulers } = rounds;
  const clientModule = context.connectors.get(connectorOf(plan, cell))?.found.nodeClientPath ?? null;
  try {
    if (clientModule === null) throw new Error(`${cell.target}: the Node load client cannot drive it`);
    const deployment = await targets.ensure(cell.target);
    const facts = await deployment.facts(AbortSignal.any([context.signal, AbortSignal.timeout(15_000)]));
    return await runTrial({
      run: { ...plan, loop: loopOf(plan, cell) },
      cell,
      round,
      workload: context.workload.workload,
      deployment,
      storage: await rulers.of(facts.storage.directory),
      loadClient: { command: process.execPath, arguments: [loadClientMain] },
      paths: {
        clientModule,
        workloadModule: context.workload.found.modulePath,
        ledger: artifacts.ledgerPath(`${cell.id}-r${round}`),
      },
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

function connectorOf(plan: RunPlan, cell: Cell): string {
  return plan.targets.find(({ target }) => target === cell.target)?.connector ?? cell.target;
}

function describeTrial(record: TrialRecord): string {
  if (record.status !== 'ok') return `${record.status}: ${record.reason}`;
  const warnings = record.warnings.map(({ code }) => code).join(', ');
  return `${Math.round(record.tps)} tps, audit passed${warnings === '' ? '' : `, warnings: ${warnings}`}`;
}
