import { z } from 'zod';
import { claimResultSchema } from './claim-result.ts';
import { environmentSchema } from './environment.ts';
import { explanationSchema } from './explanation.ts';

/**
 * `claims/verdicts/<claim>/<run>.json`: one run's verdict on a claim. Runs of several machines and days lie side by side,
 * because the interval of one run says nothing of the next.
 */
export const storedVerdictSchema = z.strictObject({
  claim: claimResultSchema,
  explanation: explanationSchema.optional(),
  /** What disturbed the run, in sentences: foreign load, a busy host, a saturated load client. */
  warnings: z.array(z.string()),
  run: z.strictObject({
    id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.-]*$/, 'letters, digits, "." and "-"'),
    startedAt: z.iso.datetime(),
    command: z.string(),
    environment: environmentSchema
      .pick({ cpu: true, fileSystem: true, memoryBytes: true })
      .partial({ memoryBytes: true }),
    /** Of this project, with "+" where files were changed; null where it is not on record. */
    commit: z.string().nullable(),
    /** System → version, of the systems with a number. */
    versions: z.record(z.string(), z.string()),
  }),
});
export type StoredVerdict = z.infer<typeof storedVerdictSchema>;
