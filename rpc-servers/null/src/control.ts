import { z } from 'zod';
import { countSchema } from '@fair-bench/contract';

export const nullServerSettingsSchema = z.strictObject({
  /** How long after its arrival each operation is answered; 0 answers at once. */
  delayMs: z.number().min(0).max(60_000).default(0),
  /** The workload's description: the server answers as its model does. */
  description: z.json(),
});
export type NullServerSettings = z.infer<typeof nullServerSettingsSchema>;

/** The connector's requests to this server on the control port; `rows` and `keys` are texts of `encodeRows`. */
export const nullControlRequestSchema = z.discriminatedUnion('ask', [
  z.strictObject({ ask: z.literal('load'), table: countSchema, rows: z.string() }),
  z.strictObject({ ask: z.literal('clear'), table: countSchema }),
  /** At most `count` rows from place `from` on. A scan begins at 0, and continues in the rows of that moment. */
  z.strictObject({ ask: z.literal('scan'), table: countSchema, from: countSchema, count: countSchema }),
  z.strictObject({ ask: z.literal('read'), table: countSchema, keys: z.string() }),
]);
export type NullControlRequest = z.infer<typeof nullControlRequestSchema>;

/** The answer to every request; rows only where they were requested. */
export const nullAnswerSchema = z.strictObject({ rows: z.string() });
