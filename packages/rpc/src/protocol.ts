import { z } from 'zod';
import { countSchema } from '@fair-bench/contract';

/** What both halves of the RPC protocol share beside the codecs. PROTOCOL.md says it in words. */
export const healthPath = '/health';

export const jsonContentType = 'application/json';

/** What a server process counted since it started; sums over processes on the control port. */
export const serverCountersSchema = z.strictObject({
  applied: countSchema,
  declined: countSchema,
  faults: countSchema,
  /** Attempts beyond the first. */
  retries: countSchema,
});
export type ServerCounters = z.infer<typeof serverCountersSchema>;

/** Operations received and not yet answered: now, and the most since the last reset; summed over processes. */
export const serverInFlightSchema = z.strictObject({ now: countSchema, peak: countSchema });
export type ServerInFlight = z.infer<typeof serverInFlightSchema>;

/** What the server and the sessions that do its work say of themselves. */
export const serverFactsSchema = z.strictObject({
  server: z.string(),
  runtime: z.string(),
  processes: z.int().min(1),
  poolSizePerProcess: countSchema,
  retriesMax: countSchema,
  /** The database's own settings, read in the sessions that do the timed work. */
  settings: z.record(z.string(), z.string()),
});
export type ServerFacts = z.infer<typeof serverFactsSchema>;

/** The line on standard output that says that every process of the server listens. */
export const listeningLineSchema = z.strictObject({
  listening: z.strictObject({ port: z.int().min(1), controlPort: z.int().min(1) }),
});
