import { join } from 'node:path';
import { z } from 'zod';
import {
  countSchema,
  durabilitySchema,
  nameSchema,
  requestedDurabilitySchema,
  targetNameSchema,
} from '@fair-bench/contract';
import { readStored, storeJson } from './files.ts';

/** One operation after the other by one session: what a commit costs, and what the disk did meanwhile. */
export const commitProbeSchema = z.strictObject({
  operations: z.int().min(1),
  latencyMsP50: z.number().min(0),
  /** Flushes that the device completed per operation, less those that it did in a quiet moment; null where it counts none. */
  flushesPerOperation: z.number().nullable(),
  /**
   * Of operations that begin while the disk is at rest, the share that is acknowledged only after the disk has completed a
   * flush; null where it counts none, or is never at rest.
   */
  afterFlushShare: z.number().min(0).max(1).nullable(),
});
export type CommitProbe = z.infer<typeof commitProbeSchema>;

/** A server that was killed under load, started again on its data and audited. */
export const killSchema = z.strictObject({
  /** `undecided`: so much was in doubt that the audit cannot say whether something was lost. */
  outcome: z.enum(['kept', 'lost', 'undecided']),
  acknowledged: countSchema,
  /** Outstanding when the connection was lost. */
  inDoubt: countSchema,
  /** Acknowledged operations that could have been lost unseen: all of their rows are rows of operations in doubt. */
  couldHide: countSchema,
  /** Rows that no choice of the operations in doubt explains. */
  rowsUnexplained: countSchema,
});
export type Kill = z.infer<typeof killSchema>;

/** What `npm run kill-test` found of one target at one durability level. */
export const killTestSchema = z.strictObject({
  connector: nameSchema,
  level: requestedDurabilitySchema,
  system: z.string(),
  version: z.string(),
  fileSystem: z.string(),
  workload: nameSchema,
  measuredAt: z.iso.datetime(),
  kills: z.array(killSchema).min(1),
  commits: commitProbeSchema.nullable(),
});
export type KillTest = z.infer<typeof killTestSchema>;

/** What a run knows of a target's durability beside what the target says: one entry of `durability.json`. */
export const durabilityEvidenceSchema = z.strictObject({
  target: targetNameSchema,
  /** One sync of the data directory, milliseconds; null where it was not measured. */
  syncMs: z.number().nullable(),
  /** The same target at both levels, measured before the rounds; null where it was not. */
  levels: z.strictObject({ durable: commitProbeSchema, async: commitProbeSchema }).nullable(),
  /** Why there are no levels, where durability rests on a request. */
  failure: z.string().nullable(),
  /** The stored kill test of exactly this version and this file system. */
  killTest: killTestSchema.nullable(),
});
export type DurabilityEvidence = z.infer<typeof durabilityEvidenceSchema>;

/** How far a target's durability is shown. */
export const standingSchema = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('read'), because: z.string() }),
  z.strictObject({
    status: z.literal('requested'),
    because: z.string(),
    /** Whether `npm run kill-test` could still show it. */
    killTestCouldShow: z.boolean().optional(),
  }),
  z.strictObject({ status: z.literal('observed'), because: z.string() }),
  z.strictObject({ status: z.literal('refuted'), because: z.string() }),
]);
export type Standing = z.infer<typeof standingSchema>;

/** The words for a standing, the same in every output. */
export const standingWords: Readonly<Record<Standing['status'], string>> = {
  read: 'read from the live system',
  requested: 'requested, not observed',
  observed: 'requested and observed',
  refuted: 'refuted by a kill test',
};

/** A target's line of the summary. */
export const targetDurabilitySchema = z.strictObject({
  ...durabilityEvidenceSchema.shape,
  durability: durabilitySchema,
  standing: standingSchema,
});
export type TargetDurability = z.infer<typeof targetDurabilitySchema>;

const storedSchema = z.strictObject({ schemaVersion: z.literal(2), tests: z.array(killTestSchema) });

/** Where `npm run kill-test` leaves its table for later runs, relative to the checkout. */
export const killTestsFile = join('results', 'kill-tests.json');

/** All stored kill tests. Rejects with the file, the fact and the remedy when it is not one. */
export async function readKillTests(root: string): Promise<readonly KillTest[]> {
  const remedy = 'run npm run kill-test again after removing the file';
  const stored = await readStored(join(root, killTestsFile), storedSchema, {
    what: 'table of kill tests',
    remedy,
  });
  return stored?.tests ?? [];
}

/** Adds tests to the table; one of the same target, level, version and file system is replaced. */
export async function storeKillTests(root: string, tests: readonly KillTest[]): Promise<string> {
  const known = new Map([...(await readKillTests(root)), ...tests].map((test) => [keyOf(test), test]));
  return await storeJson(join(root, killTestsFile), { schemaVersion: 2, tests: [...known.values()] });
}

/** What a kill test says something of: another version or another file system is another thing. */
export type Killed = Pick<KillTest, 'connector' | 'level' | 'system' | 'version' | 'fileSystem'>;

/** The test of exactly this, or null. */
export function killTestOf(tests: readonly KillTest[], killed: Killed): KillTest | null {
  return tests.find((test) => keyOf(test) === keyOf(killed)) ?? null;
}

function keyOf({ connector, level, system, version, fileSystem }: Killed): string {
  return JSON.stringify([connector, level, system, version, fileSystem]);
}
