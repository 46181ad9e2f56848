import { messageOf } from '@fair-bench/contract';
import type { LoadClientCommand } from '@fair-bench/load-client';
import {
  type Cell,
  loopOf,
  settingsOfLoad,
  type TrialRecord,
  unmeasuredTrial,
  valueOfSetting,
} from '@fair-bench/results';
import { onCores } from '@fair-bench/supervisor';
import { warmedUp } from '../plan/timing.ts';
import type { CellCores } from '../probes/cell-cores.ts';
import type { CellMemory } from '../probes/cell-memory.ts';
import type { StorageProbes } from '../probes/storage.ts';
import type { Targets } from '../provision/targets.ts';
import { IdleServers } from './idle-servers.ts';
import type { LoadAgents } from './load-agents.ts';
import type { LoadProcesses } from './load-client-process.ts';
import type { LoadClients } from './load-clients.ts';
import { measureAgain, type RepeatableTrial } from './measure-again.ts';
import type { RunContext } from './run-context.ts';
import { runTrial } from './run-trial.ts';
import type { TrialSetting } from './trial-setting.ts';
import type { WireDepths } from './wire-depth.ts';

/** What every trial of a run is measured with. */
export interface TrialResources {
  readonly context: RunContext;
  readonly targets: Targets;
  readonly clients: LoadClients;
  /** The load clients on this machine. */
  readonly processes: LoadProcesses;
  /** Null where load clients are processes of this machine. */
  readonly agents: Pick<LoadAgents, 'source'> | null;
  readonly storage: StorageProbes;
  /** The processors of load clients and servers. */
  readonly cores: CellCores;
  /** What load clients with an engine may have. */
  readonly memory: CellMemory;
  /** Null in a search, which measures its best points again. */
  readonly wire: WireDepths | null;
}

export interface PlannedTrial extends Pick<
  TrialSetting,
  'run' | 'cell' | 'round' | 'slice' | 'onStage' | 'onMeasured'
> {
  /** Of the outcomes; null only where an audit is not wanted. */
  readonly logPath: string | null;
  /** The cell of the next trial, if known. */
  readonly next: Cell | undefined;
}

/** A trial of a cell, measured again where the machine disturbed or may have voided it. Never rejects. */
export async function measureCellAgain(
  resources: TrialResources,
  trial: PlannedTrial,
  bounds: Pick<RepeatableTrial, 'againMax' | 'voidsMax' | 'mayAgain' | 'aside'>,
): Promise<TrialRecord> {
  const { display, signal } = resources.context;
  return await measureAgain({
    ...bounds,
    measure: async () => await measureCell(resources, trial),
    mayAgain: (tookMs) => !signal.aborted && bounds.mayAgain?.(tookMs) !== false,
    answers: async () => await resources.targets.answers(trial.cell.target),
    onAgain: (line) => display.trialEnded(line, false),
  });
}

/** One trial of a cell, on a target that is restarted if it has died. Never rejects. */
export async function measureCell(resources: TrialResources, trial: PlannedTrial): Promise<TrialRecord> {
  const { context, targets, storage } = resources;
  const { run, cell, round, logPath } = trial;
  try {
    const client = resources.clients.of(cell);
    if (!client.available) throw new Error(client.reason);
    const { deployment, ordinal, isFirst } = await targets.ensureForTrial(cell.target);
    await resources.cores.move(cell, deployment.processes);
    const here = resources.processes.source(commandOf(resources, cell, client.command));
    using idle = new IdleServers(targets.processesBeside(cell.target));
    return await runTrial({
      run: {
        ...run,
        loop: loopOf(run, cell),
        timing: warmedUp(run.timing, { client: cell.client, isFirst }),
      },
      cell,
      round,
      slice: trial.slice,
      workload: context.workload.description,
      deployment,
      storage: async (directory) => await storage.of(directory),
      loadClient: resources.agents?.source ?? here,
      probes: [...resources.memory.ofTrial(cell), idle],
      deploymentOrdinal: ordinal,
      ...(resources.wire === null ? {} : { wire: { depths: resources.wire, loadClient: here } }),
      paths: { client: client.client, log: logPath },
      onStage(stage) {
        context.display.phase(stage);
        trial.onStage?.(stage);
      },
      onMeasured(result) {
        startNext(resources, trial.next);
        trial.onMeasured?.(result);
      },
      onEvent: (event) => {
        if (event.type !== 'progress' || event.elapsedMs === 0) return;
        context.display.progress((event.applied / event.elapsedMs) * 1000, event.elapsedMs);
      },
      signal: context.signal,
    });
  } catch (error) {
    const status = context.signal.aborted ? 'interrupted' : 'void';
    const reason = context.signal.aborted ? 'the run was interrupted before this trial' : messageOf(error);
    return unmeasuredTrial(status, { cellId: cell.id, round }, reason);
  }
}

/** The next trial's load client starts while this trial is audited. */
function startNext(resources: TrialResources, next?: Cell): void {
  const { agents, clients, processes, context } = resources;
  if (agents !== null || next === undefined || context.signal.aborted) return;
  const client = clients.of(next);
  if (client.available) processes.startNext(commandOf(resources, next, client.command));
}

/** The load client on the cell's processors, within its memory, and as other settings of its load have it. */
export function commandOf(
  { cores, memory }: Pick<TrialResources, 'cores' | 'memory'>,
  cell: Cell,
  command: LoadClientCommand,
): LoadClientCommand {
  return aroundBySettings(cell, memory.around(cell, onCores(cores.client(cell), command)));
}

function aroundBySettings(cell: Cell, command: LoadClientCommand): LoadClientCommand {
  return settingsOfLoad().reduce((inner, setting) => {
    const value = valueOfSetting(setting, cell);
    return value === undefined ? inner : (setting.of.around?.(value, inner) ?? inner);
  }, command);
}

/** A trial's outcome in a line. */
export function describeTrial(record: TrialRecord): string {
  if (record.status !== 'ok') return `${record.status}: ${record.reason}`;
  const warnings = record.warnings.map(({ code }) => code).join(', ');
  return `${Math.round(record.tps)} tps, audit passed${warnings === '' ? '' : `, warnings: ${warnings}`}`;
}
