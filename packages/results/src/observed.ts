import { z } from 'zod';
import { countSchema, statementProtocolSchema } from '@fair-bench/contract';

/** A count, and how long its reading took: what was counted may be that old, or that new. */
const readCountSchema = z.strictObject({ count: countSchema, readMs: z.number().min(0) });

/** What was observed of a trial from outside its sessions while the load ran; null means not observed. */
export const observedSchema = z.strictObject({
  /**
   * Operations beside the load whose rows another connection read right after they were acknowledged. Null where the
   * workload has none that the load cannot see.
   */
  canaries: z
    .strictObject({
      planned: countSchema,
      /** Acknowledged as applied, with their rows read. */
      read: countSchema,
      /** Of those, how many were visible at the first reading. */
      visible: countSchema,
      /** Acknowledged as applied: they count among the database's commits. */
      applied: countSchema,
      /** Declined, although a canary's rows always permit it. */
      declined: countSchema,
      /** From the acknowledgement to the reading's answer, milliseconds; a shorter lead is invisible. */
      readAfterMsMax: z.number().nullable(),
      /** The first few that were missing or could not be read, in words. */
      problems: z.array(z.string()),
    })
    .nullable(),
  /**
   * Operations of the load that another connection read right after they were acknowledged, on rows that nobody else
   * wrote until then. Null where the workload has none, or nobody could report or read them; absent in older runs.
   */
  natural: z
    .strictObject({
      /** Operations that could be reported. */
      planned: countSchema,
      /** Acknowledged as applied, with their rows read. */
      read: countSchema,
      /** Those of them with a row that no other operation can have written until then, without the late ones. */
      judged: countSchema,
      /** Of those, how many had exactly the operation's effect. */
      visible: countSchema,
      /** From the acknowledgement to the reading's answer: the middle one and the longest; null without any. */
      readAfterMs: z.strictObject({ median: z.number(), most: z.number() }).nullable(),
      /** Readings that found the effect and were answered a mean latency later or more: they may have waited for it. Absent in older runs. */
      late: countSchema.optional(),
      /**
       * Whether a lead of one mean latency would have shown: half of the readings with the effect were answered sooner. Without that,
       * early acknowledgements are not observed.
       */
      seesLatency: z.boolean(),
      /** The first few that had not, or could not be read, in words. */
      problems: z.array(z.string()),
    })
    .nullable()
    .optional(),
  /**
   * Rows that no operation writes, changed by another connection while the load read them. Null where no operation reads
   * such rows, or nobody else can write them; absent in older runs.
   */
  changes: z
    .strictObject({
      /** Rows that were changed. */
      rows: countSchema,
      /** Transactions that changed them and gave them their values back. */
      transactions: countSchema,
      /** Reads of a changed row that were sent after its change was acknowledged. */
      judged: countSchema,
      /** Of those, how many returned the change. */
      fresh: countSchema,
      /** How long after the acknowledgement the latest one without it was sent; 0 without any. */
      staleMsMost: z.number().min(0),
      /** The first few without it, in words, and why rows could not be changed. */
      problems: z.array(z.string()),
    })
    .nullable()
    .optional(),
  /**
   * Requests of one session on the wire before the first reply, counted by a proxy between load client and target
   * before the load.
   */
  outstandingOnWire: z.int().min(1).nullable(),
  /** Writing transactions of the trial that the system had ended when the window began, and how long the reading took. */
  committedAtWindowBegin: readCountSchema.nullable(),
  /** The same just after the window's end. */
  committedAtWindowEnd: readCountSchema.nullable(),
  /**
   * The same when the ordered length of the window had passed since the runner heard that it began; null where load
   * clients run elsewhere.
   */
  committedAtOrderedEnd: readCountSchema.nullable(),
  /** The same, with the beginning of the reading after that of the window; absent where clocks differ. */
  committedInWindow: z.array(z.strictObject({ afterMs: z.number(), ...readCountSchema.shape })).optional(),
  /** The same when nothing of the trial was left to do. */
  committedAfterTrial: countSchema.nullable(),
  /** Whether transactions of operations that only read are among them. */
  committedHasReads: z.boolean(),
  /** Readings of the settings that durability depends on, from before the load to after it. */
  settings: z
    .strictObject({
      readings: z.int().min(1),
      first: z.record(z.string(), z.string()),
      /** Changes between two readings, in words. */
      changes: z.array(z.string()),
    })
    .nullable(),
  /** Looks for commits that others could see before they were flushed, and the first few found, in words. */
  unflushed: z.strictObject({ looks: z.int().min(1), found: z.array(z.string()) }).nullable(),
  /** Which transaction wrote each row last: by table, the most rows of one transaction, and of one operation. */
  lastWriters: z
    .strictObject({
      readings: z.int().min(1),
      /** The most subtransactions of one transaction; null where they are not shown. */
      subtransactionsMost: countSchema.nullable(),
      tables: z.array(
        z.strictObject({ name: z.string(), rowsMost: countSchema, rowsOfOperationMax: countSchema }),
      ),
    })
    .nullable(),
  /** Calls of operations that the server sampled, by the protocol in which it was sent them. */
  protocols: z.record(statementProtocolSchema, countSchema).nullable(),
  /** Looks at who was connected to the database; null without a pooler, and where it is not visible. */
  pooling: z
    .strictObject({
      looks: z.int().min(1),
      /** The most connections of the target's pooler at a time. */
      pooledMost: countSchema,
      /** The first few sessions of the target that did not come from its pooler, in words. */
      beside: z.array(z.string()),
    })
    .nullable(),
});
export type Observed = z.infer<typeof observedSchema>;
