import { z } from 'zod';

/** What a session is told beside the server's URL. */
export const endpointOptionsSchema = z.strictObject({
  /** The database's name at the server. */
  database: z.string(),
  /** Whether the server holds a result back until its transaction is on disk. */
  confirmedReads: z.boolean(),
  /** What the server compresses its messages by; absent for none, which is all that the native client can. */
  compression: z.enum(['gzip']).optional(),
});
export type EndpointOptions = z.infer<typeof endpointOptionsSchema>;
