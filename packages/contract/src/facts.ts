import { z } from 'zod';
import { countSchema, nameSchema } from './primitives.ts';

/**
 * When a commit is acknowledged to the client, strongest first:
 *
 * - `durable`: only after it would survive a power cut (an fsync, or a quorum that did one).
 * - `async`: before that; a crash loses what was acknowledged last.
 * - `none`: nothing is ever written to stable storage.
 */
export const durabilitySchema = z.enum(['durable', 'async', 'none']);
export type Durability = z.infer<typeof durabilitySchema>;

/** Whether the live system reported what a commit waits for, or a connector derived it from its own request. */
export const durabilityBasisSchema = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('read') }),
  z.strictObject({
    status: z.literal('requested'),
    /** What was requested, as `confirmed_reads=true`. */
    request: z.string().min(1),
  }),
]);

const volatileFileSystems = new Set(['tmpfs', 'ramfs', 'devtmpfs', 'rootfs', 'memory']);

/** Whether a file system loses everything in a power cut, so that fsync costs nothing. */
export function isVolatile(fileSystem: string): boolean {
  return volatileFileSystems.has(fileSystem.toLowerCase());
}

export const isolationSchema = z.enum([
  'read-uncommitted',
  'read-committed',
  'repeatable-read',
  'snapshot',
  'serializable',
]);
export type Isolation = z.infer<typeof isolationSchema>;

/**
 * How a statement and its values reach a database:
 *
 * - `prepared`: parsed once per connection under a name; each call sends the values alone.
 * - `extended`: parsed for each call, with the values beside it.
 * - `simple`: one text for each call, with the values in it.
 */
export const statementProtocolSchema = z.enum(['prepared', 'extended', 'simple']);
export type StatementProtocol = z.infer<typeof statementProtocolSchema>;

/** The providers of a database, in the order in which they are tried. */
const providerSchema = z.enum(['url', 'binary', 'embedded', 'docker', 'in-process']);
export type Provider = z.infer<typeof providerSchema>;

/** Client libraries as applications use them, or code of ours in their place. */
export const clientCodecSchema = z.enum(['stock', 'tuned']);
export type ClientCodec = z.infer<typeof clientCodecSchema>;

/**
 * What a live target reports in the sessions that do the timed work. Shared code compares these fields, never a
 * system's name.
 */
export const factsSchema = z.strictObject({
  system: z.strictObject({ name: z.string(), version: z.string() }),
  provider: providerSchema,
  /** Durability before acknowledgement, derived from `settings` by the connector. */
  durability: durabilitySchema,
  isolation: isolationSchema,
  /**
   * The system's own settings under their own names, each as read live. The fair profile, and the check that nothing
   * changed during a trial, use these.
   */
  settings: z.record(z.string(), z.string()),
  /**
   * Settings that the target's sessions request without the system reporting whether they are in force, under their
   * own names. The fair profile uses these too.
   */
  requested: z.record(z.string(), z.string()).optional(),
  /** What `durability` was derived from; absent where all of it was read. */
  durabilityBasis: durabilityBasisSchema.optional(),
  /** The application server between load client and database, or null without one. */
  appServer: z
    .strictObject({
      runtime: z.string(),
      processes: countSchema,
      poolSizePerProcess: countSchema,
      retriesMax: countSchema,
      keepAlive: z.boolean(),
    })
    .nullable(),
  /** The pooler between the sessions and the database, as its own console describes it; absent without one. */
  pooler: z
    .strictObject({
      /** As the target names it. */
      requested: nameSchema,
      /** What answers, by its own name: as `requested`, or the target has another pooler than it says. */
      answers: nameSchema,
      version: z.string(),
      /** The most connections to the database that it has for the sessions. */
      poolSize: z.int().min(1),
    })
    .optional(),
  /** By which client libraries our Node calls the target, over HTTP too. Absent for a calibration target, and where nothing says it. */
  clientCodec: clientCodecSchema.optional(),
  /**
   * How the calls of operations are set to reach the database; what the server saw is observed in each trial. Absent where a
   * system has no choice, or an ORM decides it for each statement.
   */
  statementProtocol: statementProtocolSchema.optional(),
  /** The protocol of the load client: `http/1.1 json`, `postgresql v3 extended`. */
  wireProtocol: z.string(),
  /**
   * The most commits that one flush of the log can cover: the connections (or writers) that commit at the same time
   * or, where transactions run one by one and wait for the flush together, the outstanding operations. The audit bounds it by
   * sessions × depth. Too low: a fast system is void for too few flushes. Too high: a system that does not flush is not
   * noticed. Above 1 a server is expected to have more than one operation of a session in hand.
   */
  writersMax: z.int().min(1),
  storage: z.strictObject({
    /** The data's location as the database sees it; null when it is on another machine. */
    directory: z.string().nullable(),
    /** The file system's type: `ext4`, `tmpfs`, `memory`, `unknown`. */
    fileSystem: z.string(),
    /**
     * What may lie elsewhere than the data, by links or settings: the log, which commits wait for, and tablespaces; `directory`
     * only where it is another mount than the data's.
     */
    parts: z
      .array(z.strictObject({ holds: z.string(), directory: z.string().nullable(), fileSystem: z.string() }))
      .optional(),
  }),
});
export type Facts = z.infer<typeof factsSchema>;

/** Among a target's settings: the version of TLS in its timed sessions, or `plainText`; absent where nothing says it. */
export const tlsSetting = 'fair_bench.tls';
export const plainText = 'plain text';

/** Whether the engine runs inside the load client: its work cannot be told from the client's own. */
export function isInLoadClient({ provider, appServer }: Pick<Facts, 'provider' | 'appServer'>): boolean {
  return provider === 'in-process' && appServer === null;
}

/** The part of a storage that commits wait for. */
export const logPart = 'log';

/** Where commits are flushed: the log's directory, or the data's where the log lies with them; null where it is not visible. */
export function logDirectoryOf({
  storage: { directory, parts = [] },
}: Pick<Facts, 'storage'>): string | null {
  const log = parts.find(({ holds }) => holds === logPart);
  return log?.fileSystem === 'unknown' ? null : (log?.directory ?? directory);
}

/** The file systems of all that a power cut must spare: `ext4`, or `ext4, log on tmpfs`. */
export function describeStorage({ fileSystem, parts = [] }: Facts['storage']): string {
  return [fileSystem, ...parts.map(({ holds, fileSystem: own }) => `${holds} on ${own}`)].join(', ');
}

/** Whether a power cut would empty the directory, or a part. */
export function losesInPowerCut({ fileSystem, parts = [] }: Facts['storage']): boolean {
  return [fileSystem, ...parts.map((part) => part.fileSystem)].some(isVolatile);
}

/** One line of a system's written fair profile. */
export const fairSettingSchema = z.strictObject({
  setting: z.string(),
  accepted: z.array(z.string()).min(1),
  /** Accepted instead for async targets in optimized mode, which compares them only with one another. */
  acceptedAsync: z.array(z.string()).min(1).optional(),
  /** The line applies only while another setting has one of these values, as `log_bin` for `sync_binlog`. */
  when: z.strictObject({ setting: z.string(), is: z.array(z.string()).min(1) }).optional(),
  reason: z.string(),
});
export type FairSetting = z.infer<typeof fairSettingSchema>;

/**
 * Evidence of work that does not come from the load client: monotonic counters read before and after a trial. A
 * counter that a system lacks, or that may miss something, is absent, never zero.
 */
export const workCountersSchema = z.strictObject({
  /**
   * Transactions committed, by the database's own count, complete when the promise resolves. It rises by at least the operations
   * that were acknowledged as applied (fewer: void), and by at most 2 % more than all operations, retries and 8 for each
   * connection explain (more: a warning). Leave it out where the system may miss a commit or counts late, as
   * MariaDB's `trx_rw_commits` does: it was one short of 12,608, and the trial void.
   */
  commits: countSchema.optional(),
  /** The same with those that only read, where the database counts them; fewer than the applied operations: void. */
  transactions: countSchema.optional(),
  /**
   * Scans of tables by their rows or an index, one for each lookup, where the database counts them; fewer than the applied
   * operations that only read: void.
   */
  scans: countSchema.optional(),
  /**
   * Flushes of its log, by the database's own count; for durable commits at least nine tenths of applied operations ÷
   * `writersMax`, or the trial is void. Left out, the disk's own flushes are counted, or its measured sync rate bounds the
   * throughput.
   */
  flushes: countSchema.optional(),
  /** Checkpoints that the database says it began. */
  checkpoints: countSchema.optional(),
  /** Transactions that the pooler passed to the database, by its own count; fewer than the applied operations: void. */
  pooled: countSchema.optional(),
  /** Operations that the application server answered as applied; fewer than were acknowledged: void. */
  applied: countSchema.optional(),
  /** Retries that the application server made. */
  retries: countSchema.optional(),
});
export type WorkCounters = z.infer<typeof workCountersSchema>;

/**
 * The most operations outstanding at the server at the same time since the trial was prepared. More than sessions × depth:
 * void, because something was sent twice, or beside the session. With a depth and a `writersMax` above 1, no more than the
 * sessions: a warning that the connection does not pipeline.
 */
export const inFlightSchema = z.strictObject({ peak: countSchema });
export type InFlight = z.infer<typeof inFlightSchema>;
