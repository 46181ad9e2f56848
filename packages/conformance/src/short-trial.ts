import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Cell, Deployment } from '@fair-bench/contract';
import { loadClientMain } from '@fair-bench/load-client';
import { type LoadClientCommand, runTrial, StorageRulers, type TrialRecord } from '@fair-bench/runner';
import { defaultParameters, transferWorkload, type TransferParameters } from '@fair-bench/workload-transfer';

const workloadModule = fileURLToPath(import.meta.resolve('@fair-bench/workload-transfer'));
const rulers = new StorageRulers();

export interface ShortTrial {
  readonly target: string;
  readonly deployment: Deployment;
  /** The module that the load client imports. */
  readonly clientModulePath: string;
  /** Where the ledger goes. */
  readonly directory: string;
  readonly sessions?: number;
  readonly depth?: number;
  readonly windowMs?: number;
  readonly parameters?: Partial<TransferParameters>;
  readonly loadClient?: LoadClientCommand;
}

/** The load client as the runner starts it. */
export const honestLoadClient: LoadClientCommand = {
  command: process.execPath,
  arguments: [loadClientMain],
};

/** One trial of about a second by the runner's own code: seeded, measured, audited and judged as in a run. */
export async function runShortTrial(trial: ShortTrial): Promise<TrialRecord> {
  const { target, deployment, clientModulePath, directory } = trial;
  const { sessions = 8, depth = 4, windowMs = 400 } = trial;
  const parameters: TransferParameters = { ...defaultParameters, accounts: 1_000, ...trial.parameters };
  const cell: Cell = {
    id: `${target}-conformance`,
    target,
    client: 'node',
    workload: transferWorkload.name,
    parameters: { ...parameters },
    alpha: parameters.alpha,
    sessions,
    depth,
    threads: 1,
  };
  return await runTrial({
    run: {
      id: 'conformance',
      loop: { kind: 'closed' },
      timing: { warmupMs: 100, windowMs, drainMs: 5_000, operationMs: 5_000 },
    },
    cell,
    round: 0,
    workload: transferWorkload,
    deployment,
    storage: async (directory) => await rulers.of(directory),
    loadClient: trial.loadClient ?? honestLoadClient,
    paths: {
      client: { kind: 'node', module: pathToFileURL(clientModulePath).href },
      workloadModule,
      ledger: join(directory, `${cell.id}.ledger`),
    },
    onStage: () => undefined,
    onEvent: () => undefined,
    signal: AbortSignal.timeout(60_000),
  });
}
