import { z } from 'zod';
import { decimalStringSchema } from './primitives.ts';

/**
 * Moves `amount` from account `source` to account `target` in one atomic, durable transaction.
 * Account ids are unsigned 32-bit integers, from 0; amounts are signed 64-bit integers.
 */
export interface Transfer {
  source: number;
  target: number;
  amount: bigint;
}

/** A transfer as it travels in JSON. */
export const transferJsonSchema = z.strictObject({
  source: z.int().min(0).max(0xffff_ffff),
  target: z.int().min(0).max(0xffff_ffff),
  amount: decimalStringSchema,
});
export type TransferJson = z.infer<typeof transferJsonSchema>;

/** The largest amount that a transfer can carry: 2⁶³ − 1. Beyond it the fault is `invalid-request`. */
export const amountMax = 9_223_372_036_854_775_807n;
export const amountMin = -9_223_372_036_854_775_808n;

/**
 * The operation type of each workload. A workload package that adds one augments this interface
 * (declaration merging), so that connectors can implement it without the contract naming it:
 *
 *     declare module '@fair-bench/contract' { interface OperationByWorkload { ycsb: YcsbOperation } }
 */
export interface OperationByWorkload {
  transfer: Transfer;
}
export type WorkloadName = keyof OperationByWorkload;
