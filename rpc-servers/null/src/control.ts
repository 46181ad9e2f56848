import { z } from 'zod';
import { countSchema, decimalStringSchema } from '@fair-bench/contract';

export const nullServerSettingsSchema = z.strictObject({
  /** How long after its arrival each transfer is answered; 0 answers at once. */
  delayMs: z.number().min(0).max(60_000).default(0),
});
export type NullServerSettings = z.infer<typeof nullServerSettingsSchema>;

/** What the connector asks of this server on the control port. */
export const nullControlRequestSchema = z.discriminatedUnion('ask', [
  z.strictObject({ ask: z.literal('seed'), accounts: countSchema, initialBalance: decimalStringSchema }),
  /** Balances of the accounts `from` … `from + count − 1`, as far as they exist. */
  z.strictObject({ ask: z.literal('balances'), from: countSchema, count: countSchema }),
]);
export type NullControlRequest = z.infer<typeof nullControlRequestSchema>;

export const balancesAnswerSchema = z.strictObject({ balances: z.array(decimalStringSchema) });
