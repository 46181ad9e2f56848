export { transferWorkload as default, transferWorkload } from './workload.ts';
export {
  defaultParameters,
  parseTransferParameters,
  transferParametersSchema,
  type TransferParameters,
} from './parameters.ts';
export { createTransferStream } from './transfer-stream.ts';
export { createTransferLedger } from './ledger.ts';
export { auditTransfers } from './audit.ts';
