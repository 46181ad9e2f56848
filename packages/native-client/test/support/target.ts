import { join } from 'node:path';
import type { AuditFinding, JsonObject, Route, Deployment, TargetOptions } from '@fair-bench/contract';
import type { TrialPlan, TrialResult } from '@fair-bench/results';
import { startLoneTarget } from '@fair-bench/supervisor';
import { defaultParameters } from '@fair-bench/workload';
import transfer from '@fair-bench/workloads/transfer';
import { auditV1, planV1 } from '../../src/protocol-v1.ts';

const accounts = 1000;
export const parameters: JsonObject = { ...defaultParameters(transfer), accounts };

export interface TestTarget {
  readonly deployment: Deployment;
  /** A folder of the test's own. */
  readonly folder: string;
  /** A short trial's plan for the native client. */
  plan(protocol: string, settings?: PlanSettings): object;
  seed(): Promise<void>;
  /** Every balance against the ledger that the trial left. */
  audit(result: TrialResult): Promise<AuditFinding>;
  /** Ends the deployment and the services under it. */
  close(): Promise<void>;
}

export interface PlanSettings {
  readonly sessions?: number;
  readonly depth?: number;
  readonly threads?: number;
  readonly loop?: TrialPlan['loop'];
  readonly timing?: Partial<TrialPlan['timing']>;
  readonly ledgerPath?: string | null;
  readonly endpoint?: TrialPlan['endpoint'];
}

/** A route's target as the runner would start it, under a supervisor of its own. */
export async function startTarget(route: Route, options: Partial<TargetOptions> = {}): Promise<TestTarget> {
  const target = await startLoneTarget(route, options);
  const { deployment, directory: folder } = target;
  const access = deployment.workloads.transfer;
  if (access === undefined) throw new Error(`${route.name} has no transfer workload`);
  const signal = (): AbortSignal => AbortSignal.timeout(30_000);
  return {
    deployment,
    folder,
    plan: (protocol, settings = {}) => planFor(deployment.endpoint, folder, protocol, settings),
    seed: async () => await access.seed({ accounts, initialBalance: 1_000_000_000n }, signal()),
    audit: async (result) => await auditV1(result, parameters, access, signal()),
    close: async () => await target.close(),
  };
}

function planFor(
  endpoint: TrialPlan['endpoint'],
  folder: string,
  protocol: string,
  settings: PlanSettings,
): object {
  return planV1({
    protocol: 2,
    trialId: 'native-trial',
    client: { kind: 'native', protocol },
    endpoint: settings.endpoint ?? endpoint,
    workload: { description: {}, parameters },
    sessions: settings.sessions ?? 4,
    depth: settings.depth ?? 2,
    threads: settings.threads ?? 1,
    loop: settings.loop ?? { kind: 'closed' },
    timing: {
      warmupMs: 200,
      warmupMsMax: 200,
      windowMs: 500,
      drainMs: 10_000,
      connectMs: 10_000,
      operationMs: 10_000,
      ...settings.timing,
    },
    logPath: settings.ledgerPath === undefined ? join(folder, 'ledger') : settings.ledgerPath,
  });
}
