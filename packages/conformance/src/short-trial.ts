import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  faultsShareMaxDefault,
  type Cell,
  type Loop,
  type TrialPlan,
  type TrialRecord,
} from '@fair-bench/results';
import type { Deployment, JsonObject } from '@fair-bench/contract';
import { loadClientArguments } from '@fair-bench/load-client';
import {
  type LoadClientSource,
  measureAgain,
  onThisMachine,
  runTrial,
  StorageProbes,
  type WireDepths,
} from '@fair-bench/runner';
import { inDoubtShareMaxDefault, smallParameters, type WorkloadDescription } from '@fair-bench/workload';

const storage = new StorageProbes();

/** The rows of a table whose size is a parameter. */
export const trialRows = 1_000;
/** How often a trial that the machine voided is measured again. */
export const againMax = 4;

export interface ShortTrial {
  readonly target: string;
  readonly deployment: Deployment;
  readonly client: TrialPlan['client'];
  /** Where the outcome log goes. */
  readonly directory: string;
  readonly workload: WorkloadDescription;
  readonly sessions?: number;
  readonly depth?: number;
  readonly batch?: number;
  /** 100 ms unless given. */
  readonly warmupMs?: number;
  readonly windowMs?: number;
  /** The longest window that a slow target gets; 10 s unless given. */
  readonly windowMsMax?: number;
  /** Every parameter of the workload; by default 1,000 rows and its own defaults. */
  readonly parameters?: JsonObject;
  readonly loadClient?: LoadClientSource;
  /** Set to count a session's requests on the wire. */
  readonly wire?: WireDepths;
  /** Closed unless given. */
  readonly loop?: Loop;
  /** 1 % unless given. */
  readonly faultsShareMax?: number;
}

/** The load client as the runner starts it. */
const honestLoadClient = onThisMachine({ command: process.execPath, arguments: loadClientArguments });

/** The Node load client with a connector's client module. */
export function nodeClient(clientModulePath: string): TrialPlan['client'] {
  return { kind: 'node', module: pathToFileURL(clientModulePath).href };
}

/** One trial of about a second by the runner's own code: seeded, measured, audited and judged as in a run. */
export async function runShortTrial(trial: ShortTrial): Promise<TrialRecord> {
  const { target, deployment, client, directory, workload } = trial;
  const { sessions = 8, depth = 4, batch = 1, loadClient = honestLoadClient } = trial;
  const { warmupMs = 100, windowMs = 400, windowMsMax = 10_000 } = trial;
  const parameters = trial.parameters ?? smallParameters(workload, { rows: trialRows });
  const cell: Cell = {
    id: `${target}-conformance`,
    target,
    client: client.kind,
    workload: workload.name,
    parameters,
    axes: workload.axes.map(({ parameter }) => parameter),
    sessions,
    depth,
    batch,
    threads: 1,
  };
  return await runTrial({
    run: {
      id: 'conformance',
      loop: trial.loop ?? { kind: 'closed' },
      inDoubtShareMax: inDoubtShareMaxDefault,
      faultsShareMax: trial.faultsShareMax ?? faultsShareMaxDefault,
      timing: { warmupMs, windowMs, windowMsMax, drainMs: 5_000, operationMs: 5_000 },
    },
    cell,
    round: 0,
    workload,
    deployment,
    storage: async (folder) => await storage.of(folder),
    loadClient,
    ...(trial.wire === undefined ? {} : { wire: { depths: trial.wire, loadClient } }),
    paths: {
      client,
      log: join(directory, `${cell.id}.log`),
    },
    signal: AbortSignal.timeout(60_000),
  });
}

/** The same, measured again while the machine alone can have voided it, as in a run. */
export async function runShortTrialAgain(trial: ShortTrial): Promise<TrialRecord> {
  const measure = async () => await runShortTrial(trial);
  return await measureAgain({ measure, againMax, voidsMax: againMax, aside: null });
}
