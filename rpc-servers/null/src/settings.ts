import { z } from 'zod';

export const nullServerSettingsSchema = z.strictObject({
  /** How long after its arrival each operation is answered; 0 answers at once. */
  delayMs: z.number().min(0).max(60_000).default(0),
  /** The workload's description: the server answers as its model does. */
  description: z.json(),
});
export type NullServerSettings = z.infer<typeof nullServerSettingsSchema>;
