/** The transfer dataset: accounts 0 … accounts − 1, each with the same balance. */
export interface TransferDataset {
  readonly accounts: number;
  readonly initialBalance: bigint;
}

/** A page of balances: `ids[i]` has `balances[i]`. Any order, any page size, each account at most once. */
export interface BalancePage {
  readonly ids: readonly number[];
  readonly balances: readonly bigint[];
}

/** How the control plane reaches the transfer dataset of a target. */
export interface TransferAccess {
  /** Replaces whatever is there with the dataset. Seeding twice leaves the same as seeding once. */
  seed(dataset: TransferDataset, signal: AbortSignal): Promise<void>;
  /** Every balance, read by a fresh connection that has not seen the trial. */
  balances(signal: AbortSignal): AsyncIterable<BalancePage>;
}

/** What an audit found. `accountsChecked` counts the rows (accounts, counters, objects) that were compared. */
export type AuditFinding =
  | {
      readonly status: 'passed';
      readonly accountsChecked: number;
      readonly mismatches: 0;
      /** Operations in doubt, and how many of them the database shows as applied. */
      readonly inDoubt: number;
      readonly inDoubtApplied: number;
    }
  | {
      readonly status: 'failed';
      readonly accountsChecked: number;
      readonly mismatches: number;
      readonly inDoubt: number;
      readonly reason: string;
      /** The first few differences, for the report. */
      readonly examples: readonly string[];
    };

export interface WorkloadAccess {
  readonly transfer?: TransferAccess;
}
