import { type Cell, type RunPlan, type TrialRecord, loopOf } from '@fair-bench/results';
import type { RunContext } from './run-context.ts';
import { messageOf } from '@fair-bench/contract';
import type { Targets } from '../provision/targets.ts';
import type { StorageProbes } from '../probes/storage.ts';
import type { LoadClients } from './load-clients.ts';
import { runTrial } from './run-trial.ts';

/** What every trial of a run is measured with. */
export interface Means {
  readonly context: RunContext;
  readonly targets: Targets;
  readonly clients: LoadClients;
  readonly storage: StorageProbes;
}

export interface PlannedTrial {
  readonly run: Pick<RunPlan, 'id' | 'loop' | 'timing'>;
  readonly cell: Cell;
  /** From 0. */
  readonly round: number;
  readonly ledgerPath: string;
}

/** One trial of a cell, on a target that is started anew where it has died. Never rejects. */
export async function measureCell(means: Means, trial: PlannedTrial): Promise<TrialRecord> {
  const { context, targets, storage } = means;
  const { run, cell, round, ledgerPath } = trial;
  try {
    const client = means.clients.of(cell);
    if (!client.available) throw new Error(client.reason);
    return await runTrial({
      run: { ...run, loop: loopOf(run, cell) },
      cell,
      round,
      workload: context.workload.workload,
      deployment: await targets.ensure(cell.target),
      storage: async (directory) => await storage.of(directory),
      loadClient: client.command,
      paths: {
        client: client.client,
        workloadModule: context.workload.found.modulePath,
        ledger: ledgerPath,
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

/** A trial's outcome in a line. */
export function describeTrial(record: TrialRecord): string {
  if (record.status !== 'ok') return `${record.status}: ${record.reason}`;
  const warnings = record.warnings.map(({ code }) => code).join(', ');
  return `${Math.round(record.tps)} tps, audit passed${warnings === '' ? '' : `, warnings: ${warnings}`}`;
}
