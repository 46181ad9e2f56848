import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { EncodedLedger } from '@fair-bench/contract';
import type { TrialResult } from '@fair-bench/results';

/** Reads the ledger that a load client left. Rejects when the file is not the one that its result describes. */
export async function readLedger(result: TrialResult): Promise<EncodedLedger> {
  if (result.ledger === null)
    throw new Error('load client: the result has no ledger; nothing can be audited');
  const bytes = await readFile(result.ledger.path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (bytes.length !== result.ledger.bytes || sha256 !== result.ledger.sha256) {
    throw new Error(
      `load client: ${result.ledger.path} is not the ledger that the result describes; was the disk full?`,
    );
  }
  return { bytes, inDoubt: result.ledger.inDoubt };
}
