import type { JsonObject } from './primitives.ts';

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

/**
 * One session's stream of operations: the k-th call gives the k-th operation of (seed, session),
 * whatever the target, the load client, its threads or the order of completions.
 */
export interface OperationStream<Operation> {
  /** Writes the next operation into `operation`; nothing is allocated. */
  next(operation: Operation): void;
}

/** What the load client remembers of a trial so that the audit can compare it with the database. */
export interface Ledger<Operation> {
  /** An operation that was acknowledged as applied. */
  recordApplied(operation: Operation): void;
  /** An operation that may or may not have been applied; it is copied. */
  recordInDoubt(operation: Operation): void;
  /** Adds another thread's ledger, given by its `encode`. */
  merge(encoded: EncodedLedger): void;
  encode(): EncodedLedger;
}

/** A ledger as it leaves the load client: bytes in the workload's own documented format, and doubts as JSON. */
export interface EncodedLedger {
  readonly bytes: Uint8Array;
  readonly inDoubt: readonly JsonObject[];
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

/**
 * A workload: a dataset, a stream of operations and the rule that audits them. Generic in the access
 * that the audit needs, so that new workloads bring their own.
 */
export interface Workload<Operation, Parameters, Access> {
  readonly name: string;
  /** Parses the workload parameters of a trial plan; throws a ZodError that names the parameter. */
  parseParameters(parameters: unknown): Parameters;
  /** An operation object for `OperationStream.next` to write into. */
  createOperation(): Operation;
  createStream(parameters: Parameters, session: number): OperationStream<Operation>;
  createLedger(parameters: Parameters): Ledger<Operation>;
  /** The access of a deployment that this workload needs, or null when the target lacks it. */
  accessOf(workloads: WorkloadAccess): Access | null;
  seed(parameters: Parameters, access: Access, signal: AbortSignal): Promise<void>;
  audit(
    parameters: Parameters,
    ledger: EncodedLedger,
    access: Access,
    signal: AbortSignal,
  ): Promise<AuditFinding>;
}

export interface WorkloadAccess {
  readonly transfer?: TransferAccess;
}
