import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { EncodedLedger } from '@fair-bench/contract';
import type { TrialPlan, TrialResult } from '@fair-bench/results';
import { loadModules } from './modules.ts';
import type { WorkerReport } from './worker/messages.ts';

/** Writes the ledger of all workers to the plan's path; null when the plan wants none. */
export async function writeLedger(
  plan: TrialPlan,
  reports: readonly WorkerReport[],
): Promise<TrialResult['ledger']> {
  if (plan.ledgerPath === null) return null;
  const ledger = await merged(plan, reports);
  try {
    await writeFile(plan.ledgerPath, ledger.bytes);
  } catch (cause) {
    throw new Error(`the ledger cannot be written to ${plan.ledgerPath}`, { cause });
  }
  return {
    path: plan.ledgerPath,
    bytes: ledger.bytes.byteLength,
    sha256: createHash('sha256').update(ledger.bytes).digest('hex'),
    inDoubt: [...ledger.inDoubt],
  };
}

async function merged(plan: TrialPlan, reports: readonly WorkerReport[]): Promise<EncodedLedger> {
  const ledgers = reports.map((report) => report.ledger).filter((ledger) => ledger !== null);
  const [only] = ledgers;
  if (only !== undefined && ledgers.length === 1) return only;
  const { workload, parameters } = await loadModules(plan);
  const all = workload.createLedger(parameters);
  for (const ledger of ledgers) all.merge(ledger);
  return all.encode();
}
