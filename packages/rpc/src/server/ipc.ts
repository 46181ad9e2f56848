import { z } from 'zod';
import { tablesRequestSchema } from '../protocol.ts';

/** The message that comes with a connection's socket. */
export const connectionMessage = 'connection';

/** The primary's questions to a worker; the answer repeats the question's number. */
export const questionSchema = z.discriminatedUnion('ask', [
  z.strictObject({
    id: z.int(),
    ask: z.enum(['counters', 'in-flight', 'reset-peak', 'settings', 'runtime', 'stop']),
  }),
  z.strictObject({ id: z.int(), ask: z.literal('recycle'), poolSize: z.int().min(0) }),
  z.strictObject({ id: z.int(), ask: z.literal('tables'), request: tablesRequestSchema }),
]);
export type Question = z.infer<typeof questionSchema>;

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
export type Ask = WithoutId<Question>;

/** A worker's messages: once, that it accepts connections; then answers. */
export const workerMessageSchema = z.union([
  z.strictObject({ ready: z.literal(true) }),
  z.strictObject({ failed: z.string(), isInput: z.boolean() }),
  z.strictObject({ id: z.int(), answer: z.json() }),
  z.strictObject({ id: z.int(), error: z.string() }),
]);
export type WorkerMessage = z.infer<typeof workerMessageSchema>;

export const settingsAnswerSchema = z.record(z.string(), z.string());
