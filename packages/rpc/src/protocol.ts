import { z } from 'zod';
import { countSchema } from '@fair-bench/contract';

/** What both halves of the RPC protocol share besides the codecs. PROTOCOL.md describes it. */
export const healthPath = '/health';

export const jsonContentType = 'application/json';

/** A server process's counts since it started; the control port sums them over processes. */
export const serverCountersSchema = z.strictObject({
  applied: countSchema,
  declined: countSchema,
  faults: countSchema,
  /** Attempts beyond the first. */
  retries: countSchema,
});
export type ServerCounters = z.infer<typeof serverCountersSchema>;

/** Operations received and not yet answered: now, and the maximum since the last reset; summed over processes. */
export const serverInFlightSchema = z.strictObject({ now: countSchema, peak: countSchema });
export type ServerInFlight = z.infer<typeof serverInFlightSchema>;

/** Facts of the server and of its working sessions. */
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

/** Rows are texts of `encodeRows`. A scan continues where the last page ended, and ends with an empty page. */
export const tablesRequestSchema = z.discriminatedUnion('ask', [
  z.strictObject({ ask: z.literal('load'), table: countSchema, rows: z.string() }),
  z.strictObject({ ask: z.literal('clear'), table: countSchema }),
  z.strictObject({ ask: z.literal('scan'), table: countSchema, begins: z.boolean() }),
  z.strictObject({ ask: z.literal('read'), table: countSchema, keys: z.string() }),
  z.strictObject({ ask: z.literal('replace'), table: countSchema, rows: z.string() }),
]);
export type TablesRequest = z.infer<typeof tablesRequestSchema>;

/** The rows where some were requested. */
export const tablesAnswerSchema = z.strictObject({ rows: z.string() });

/** The line on standard output that reports that every process of the server listens. */
export const listeningLineSchema = z.strictObject({
  listening: z.strictObject({ port: z.int().min(1), controlPort: z.int().min(1) }),
});

/** The exit code of a server whose binding's file has a mistake. */
export const badBindingCode = 2;
