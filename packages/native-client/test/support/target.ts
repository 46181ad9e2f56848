import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AuditFinding, Route, Deployment, TargetOptions } from '@fair-bench/contract';
import type { TrialPlan, TrialResult } from '@fair-bench/results';
import { startLoneTarget } from '@fair-bench/supervisor';
import { type TransferParameters, auditTransfers, defaultParameters } from '@fair-bench/workload-transfer';

const accounts = 1000;
export const parameters: TransferParameters = { ...defaultParameters, accounts };

export interface TestTarget {
  readonly deployment: Deployment;
  /** A folder of the test's own. */
  readonly folder: string;
  /** A short trial's plan for the native client. */
  plan(protocol: string, settings?: PlanSettings): TrialPlan;
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
    seed: async () =>
      await access.seed({ accounts, initialBalance: BigInt(parameters.initialBalance) }, signal()),
    async audit({ ledger }) {
      if (ledger === null) throw new Error('the trial kept no ledger');
      const bytes = await readFile(ledger.path);
      return await auditTransfers(parameters, { bytes, inDoubt: ledger.inDoubt }, access, signal());
    },
    close: async () => await target.close(),
  };
}

function planFor(
  endpoint: TrialPlan['endpoint'],
  folder: string,
  protocol: string,
  settings: PlanSettings,
): TrialPlan {
  return {
    protocol: 1,
    trialId: 'native-trial',
    client: { kind: 'native', protocol },
    endpoint: settings.endpoint ?? endpoint,
    workload: {
      name: 'transfer',
      module: fileURLToPath(import.meta.resolve('@fair-bench/workload-transfer')),
      parameters: { ...parameters },
    },
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
    ledgerPath: settings.ledgerPath === undefined ? join(folder, 'ledger') : settings.ledgerPath,
  };
}
