import type { Row } from '@fair-bench/contract';
import type { BoundOperation } from '@fair-bench/workload/execution';
import { Cells, StoredRow } from './cells.ts';

/** An operation that returns a row by its key, and does nothing else. */
export type Lookup = Extract<BoundOperation['returns'], { kind: 'row' }> & {
  /** Its outcome, for one row after the other. */
  readonly found: { readonly kind: 'applied'; readonly reply: StoredReply; readonly retries: number };
};

/** One row, of which values are made where they are needed. */
class StoredReply {
  readonly kind = 'rows';
  stored: StoredRow;

  constructor(stored: StoredRow) {
    this.stored = stored;
  }

  get rows(): readonly Row[] {
    return [this.stored.row()];
  }
}

export function lookupOf({ operation, returns, rules }: BoundOperation): Lookup | null {
  if (rules.length > 0 || operation.writes || returns.kind !== 'row' || returns.by !== null) return null;
  const reply = new StoredReply(new StoredRow(0, new Cells([])));
  return { ...returns, found: { kind: 'applied', reply, retries: 0 } };
}
