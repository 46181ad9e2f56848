import type { Transfer, TransferAccess, Workload } from '@fair-bench/contract';
import { auditTransfers } from './audit.ts';
import { createTransferLedger } from './ledger.ts';
import { parseTransferParameters, type TransferParameters } from './parameters.ts';
import { createTransferStream } from './transfer-stream.ts';

/** Moves money between two accounts at a time; every balance must come out right. */
export const transferWorkload: Workload<Transfer, TransferParameters, TransferAccess> = {
  name: 'transfer',
  parseParameters: parseTransferParameters,
  createOperation: () => ({ source: 0, target: 0, amount: 0n }),
  createStream: createTransferStream,
  createLedger: createTransferLedger,
  accessOf: (workloads) => workloads.transfer ?? null,
  seed: (parameters, access, signal) =>
    access.seed({ accounts: parameters.accounts, initialBalance: BigInt(parameters.initialBalance) }, signal),
  audit: auditTransfers,
};
