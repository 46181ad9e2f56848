import type {
  AuditFinding,
  EncodedLedger,
  Transfer,
  TransferAccess,
  TransferDataset,
} from '@fair-bench/contract';
import { describeDifference, examplesMax, readBalances, type Reading } from './balance-reader.ts';
import { componentsOf, explain } from './in-doubt.ts';
import { allocateNets } from './ledger.ts';
import { addEncodedNets, parseInDoubt } from './ledger-format.ts';
import type { TransferParameters } from './parameters.ts';

/**
 * Compares every balance with what the acknowledged transfers imply: each account exactly once, each
 * balance equal to initial + net effect, save for differences that are exactly the summed effect of some
 * of the operations in doubt. Rejects when the ledger is corrupt or the table cannot be read.
 */
export async function auditTransfers(
  parameters: TransferParameters,
  ledger: EncodedLedger,
  access: TransferAccess,
  signal: AbortSignal,
): Promise<AuditFinding> {
  const dataset = { accounts: parameters.accounts, initialBalance: BigInt(parameters.initialBalance) };
  const nets = allocateNets(dataset.accounts);
  addEncodedNets(ledger.bytes, nets);
  const inDoubt = parseInDoubt(ledger.inDoubt, dataset.accounts);
  const touched = new Set(inDoubt.flatMap(({ source, target }) => [source, target]));
  const reading = await readBalances(dataset, nets, touched, access, signal);
  const judgement = judge(inDoubt, reading, dataset, nets);
  const kinds = mismatchKinds(reading, judgement);
  const mismatches = kinds.reduce((sum, { count }) => sum + count, 0);
  const { accountsChecked } = reading;
  if (mismatches === 0) {
    const inDoubtApplied = judgement.applied;
    return { status: 'passed', accountsChecked, mismatches: 0, inDoubt: inDoubt.length, inDoubtApplied };
  }
  const searchNote =
    judgement.componentsPlausible === 0
      ? ''
      : `; ${judgement.componentsPlausible} groups of operations in doubt were too many to search through and were judged by bounds and sum alone`;
  return {
    status: 'failed',
    accountsChecked,
    mismatches,
    inDoubt: inDoubt.length,
    reason: describe(kinds, reading, dataset) + searchNote,
    examples: kinds.flatMap(({ examples }) => examples).slice(0, 2 * examplesMax),
  };
}

interface Judgement {
  /** Operations in doubt that the database shows as applied. */
  readonly applied: number;
  /** Groups that the bounded search did not settle. */
  readonly componentsPlausible: number;
  /** Accounts whose differences no subset of the operations in doubt explains. */
  readonly count: number;
  readonly examples: readonly string[];
}

function judge(
  inDoubt: readonly Transfer[],
  reading: Reading,
  dataset: TransferDataset,
  nets: Float64Array,
): Judgement {
  const examples: string[] = [];
  let applied = 0;
  let componentsPlausible = 0;
  let count = 0;
  for (const component of componentsOf(inDoubt)) {
    const explanation = explain(component, reading.differences);
    if (explanation.status !== 'unexplained') {
      applied += explanation.applied;
      if (explanation.status === 'plausible') componentsPlausible += 1;
      continue;
    }
    for (const account of component.accounts) {
      const difference = reading.differences.get(account);
      if (difference === undefined) continue;
      count += 1;
      if (examples.length >= examplesMax) continue;
      const expected = dataset.initialBalance + BigInt(nets[account] ?? 0);
      const sentence = describeDifference(account, expected, difference);
      examples.push(`${sentence}, which no choice of the operations in doubt explains`);
    }
  }
  return { applied, componentsPlausible, count, examples };
}

interface MismatchKind {
  readonly what: string;
  readonly count: number;
  readonly examples: readonly string[];
}

function mismatchKinds(reading: Reading, judgement: Judgement): MismatchKind[] {
  const { wrong, missing, duplicated, unknown } = reading;
  return [
    { what: 'with a wrong balance', ...pick(wrong) },
    { what: 'with a difference that the operations in doubt do not explain', ...pick(judgement) },
    { what: 'missing', ...pick(missing) },
    { what: 'more than once', ...pick(duplicated) },
    { what: 'not of the dataset', ...pick(unknown) },
  ].filter(({ count }) => count > 0);
}

function pick({ count, examples }: { count: number; examples: readonly string[] }) {
  return { count, examples };
}

function describe(kinds: readonly MismatchKind[], reading: Reading, dataset: TransferDataset): string {
  if (reading.accountsChecked === 0) return `none of the ${dataset.accounts} accounts is there`;
  const parts = kinds.map(({ what, count }) => `${count} ${what}`);
  return `of ${dataset.accounts} accounts: ${parts.join(', ')}`;
}
