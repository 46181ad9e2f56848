import { z } from 'zod';

const u64Max = 0xffff_ffff_ffff_ffffn;
const i64Max = 0x7fff_ffff_ffff_ffffn;

/** Beyond this the product of a 32-bit draw and the largest amount would no longer be exact in a double. */
const amountMaxLimit = 2 ** 21;

/** The parameters of the transfer workload, as they stand in a trial plan: JSON, complete, no defaults. */
export const transferParametersSchema = z.strictObject({
  /** Decides every operation and the scrambling; an unsigned 64-bit integer as a decimal string. */
  seed: decimalUpTo(u64Max, 'a decimal integer from 0 to 2^64 − 1, as a string'),
  accounts: z
    .int()
    .min(2, 'at least 2: a transfer needs two accounts')
    .max(2 ** 32, 'at most 2^32'),
  /** What every account holds at first: a decimal string, at most 2⁶³ − 1. */
  initialBalance: decimalUpTo(i64Max, 'a decimal integer from 0 to 2^63 − 1, as a string'),
  /** The exponent of the Zipf distribution; 0 is uniform. */
  alpha: z
    .number()
    .min(0, 'at least 0 (uniform)')
    .max(
      32,
      'at most 32: beyond it the second-hottest account is the source of less than one transfer in 2^32, so only one source would be left',
    ),
  /** Whether account ids are a seeded permutation of the ranks; otherwise id = rank − 1. */
  scramble: z.boolean(),
  /** Amounts are uniform in 1 … amountMax. */
  amountMax: z.int().min(1).max(amountMaxLimit),
});

export type TransferParameters = Readonly<z.infer<typeof transferParametersSchema>>;

/**
 * A complete set to start from; a plan states each one. Amounts vary so that two mistakes that would cancel
 * out at a constant amount show in the audit.
 */
export const defaultParameters: TransferParameters = Object.freeze({
  seed: '42',
  accounts: 100_000,
  initialBalance: '1000000000',
  alpha: 0.5,
  scramble: true,
  amountMax: 1000,
});

/** Parses the workload parameters of a trial plan; throws a ZodError that names the parameter. */
export function parseTransferParameters(parameters: unknown): TransferParameters {
  return Object.freeze(transferParametersSchema.parse(parameters));
}

function decimalUpTo(max: bigint, description: string) {
  return z
    .string()
    .regex(/^\d{1,20}$/, description)
    .refine((text) => /^\d{1,20}$/.test(text) && BigInt(text) <= max, description);
}
