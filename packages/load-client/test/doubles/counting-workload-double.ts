import type { JsonObject } from '@fair-bench/contract';
import { z } from 'zod';

/** The k-th operation of a session is its number and k: a stream that a test can foretell. */
export interface NumberedOperation {
  session: number;
  ordinal: number;
}

const ledgerJsonSchema = z.array(z.tuple([z.int(), z.int()]));

/** A workload double: its ledger lists the operations that were acknowledged. */
export default {
  name: 'transfer',
  parseParameters(parameters: unknown): unknown {
    return z.strictObject({ seed: z.string().optional() }).parse(parameters);
  },
  createOperation: (): NumberedOperation => ({ session: 0, ordinal: 0 }),
  createStream(_parameters: unknown, session: number) {
    let ordinal = 0;
    return {
      next(operation: NumberedOperation): void {
        operation.session = session;
        operation.ordinal = ordinal;
        ordinal += 1;
      },
    };
  },
  createLedger() {
    const applied: [number, number][] = [];
    const inDoubt: JsonObject[] = [];
    return {
      recordApplied: (operation: NumberedOperation) => applied.push([operation.session, operation.ordinal]),
      recordInDoubt: (operation: NumberedOperation) => inDoubt.push({ ...operation }),
      merge(encoded: { bytes: Uint8Array; inDoubt: readonly JsonObject[] }): void {
        for (const pair of decodeLedgerDouble(encoded.bytes)) applied.push(pair);
        inDoubt.push(...encoded.inDoubt);
      },
      encode: () => ({ bytes: Buffer.from(JSON.stringify(applied)), inDoubt }),
    };
  },
};

/** The pairs `[session, ordinal]` of a ledger. */
export function decodeLedgerDouble(bytes: Uint8Array): [number, number][] {
  return ledgerJsonSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
}
