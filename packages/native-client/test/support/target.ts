import { join } from 'node:path';
import type { ReplayFinding, Deployment, JsonObject, Route, Row, TargetOptions } from '@fair-bench/contract';
import { type ClientResult, protocolVersion, type TrialPlan } from '@fair-bench/results';
import { startLoneTarget } from '@fair-bench/supervisor';
import { targetWorkload, workloadNamed } from '@fair-bench/conformance';
import {
  replayOutcomes,
  defaultParameters,
  plannedJson,
  readOutcomeLog,
  resolveWorkload,
  seededPages,
  type Workload,
} from '@fair-bench/workload';
import transfer from '@fair-bench/workloads/transfer';

const accounts = 1000;
export const parameters: JsonObject = { ...defaultParameters(transfer), accounts };

export interface TestTarget {
  readonly deployment: Deployment;
  /** A folder of the test's own. */
  readonly folder: string;
  /** A short trial's plan for the native client. */
  plan(protocol: string, settings?: PlanSettings): TrialPlan;
  seed(): Promise<void>;
  /** Every balance against the trial's outcome log. */
  audit(result: ClientResult): Promise<ReplayFinding>;
  /** Ends the deployment and the services under it. */
  close(): Promise<void>;
}

export interface PlanSettings {
  readonly sessions?: number;
  readonly depth?: number;
  readonly batch?: number;
  readonly threads?: number;
  readonly loop?: TrialPlan['loop'];
  readonly timing?: Partial<TrialPlan['timing']>;
  readonly logPath?: string | null;
  readonly endpoint?: TrialPlan['endpoint'];
}

/** A route's target, started as by the runner, under its own supervisor. */
export async function startTarget(route: Route, options: Partial<TargetOptions> = {}): Promise<TestTarget> {
  const own = targetWorkload(await workloadNamed('transfer'));
  const target = await startLoneTarget(route, { workload: own, ...options });
  const { deployment, directory: folder } = target;
  const { tables } = deployment;
  const workload = resolveWorkload(transfer, parameters);
  const signal = (): AbortSignal => AbortSignal.timeout(30_000);
  return {
    deployment,
    folder,
    plan: (protocol, settings = {}) => planFor(deployment.endpoint, folder, protocol, settings),
    async seed() {
      for (const table of workload.tables) {
        await tables.clear(table.number, signal());
        await tables.load(table.number, pagesOf(workload, table.number), signal());
      }
    },
    audit: async ({ log }) => {
      if (log === null) throw new Error('the trial kept no outcome log');
      const logs = await readOutcomeLog(log);
      const scan = (table: number, bound: AbortSignal) => tables.scan(table, bound);
      return await replayOutcomes({ workload, logs, scan, signal: signal() });
    },
    close: async () => await target.close(),
  };
}

async function* pagesOf(workload: Workload, table: number): AsyncIterable<readonly Row[]> {
  const seeded = workload.tables[table];
  if (seeded === undefined) throw new Error(`no table ${table}`);
  for (const page of seededPages(workload, seeded)) yield await Promise.resolve(page);
}

function planFor(
  endpoint: TrialPlan['endpoint'],
  folder: string,
  protocol: string,
  settings: PlanSettings,
): TrialPlan {
  return {
    protocol: protocolVersion,
    trialId: 'native-trial',
    client: { kind: 'native', protocol },
    endpoint: settings.endpoint ?? endpoint,
    workload: plannedJson(resolveWorkload(transfer, parameters)),
    sessions: settings.sessions ?? 4,
    share: null,
    depth: settings.depth ?? 2,
    batch: settings.batch ?? 1,
    threads: settings.threads ?? 1,
    loop: settings.loop ?? { kind: 'closed' },
    timing: {
      warmupMs: 200,
      warmupMsMax: 200,
      windowMs: 500,
      windowMsMax: settings.timing?.windowMs ?? 500,
      drainMs: 10_000,
      connectMs: 10_000,
      operationMs: 10_000,
      ...settings.timing,
    },
    canaries: [],
    logPath: settings.logPath === undefined ? join(folder, 'log') : settings.logPath,
  };
}
