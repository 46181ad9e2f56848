import { typedCommand } from '@fair-bench/contract';
import { resultsFolder } from './folder.ts';
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
import { knownLossSchema, powerCutsSchema } from './power-cuts.ts';

/** Many operations at once, and the disk's flushes meanwhile. */
const loadProbeSchema = z.strictObject({
  outstanding: z.int().min(1),
  operations: z.int().min(1),
  /** Flushes completed per operation, minus the quiet rate. */
  flushesPerOperation: z.number(),
  /** The share of operations during which a flush was completed, which their own commit may have waited for. */
  afterFlushShare: z.number().min(0).max(1),
});
export type LoadProbe = z.infer<typeof loadProbeSchema>;

/** One operation after the other in one session: the cost of a commit, and the disk's flushes meanwhile. */
const commitProbeSchema = z.strictObject({
  operations: z.int().min(1),
  latencyMsP50: z.number().min(0),
  /** Flushes completed per operation, minus the quiet rate; null where the device does not count them. */
  flushesPerOperation: z.number().nullable(),
  /**
   * Of operations that begin while the disk is idle, the share acknowledged only after a completed flush; null where
   * the device does not count flushes, or is never idle.
   */
  afterFlushShare: z.number().min(0).max(1).nullable(),
  /** The same commits at the load of a trial; null where the device does not count flushes, or with one session. */
  atLoad: loadProbeSchema.nullable(),
});
export type CommitProbe = z.infer<typeof commitProbeSchema>;

/** A server that was killed under load, restarted on its data and audited. */
const killSchema = z.strictObject({
  /** `undecided`: too much was in doubt for the audit to decide whether something was lost. */
  outcome: z.enum(['kept', 'lost', 'undecided']),
  acknowledged: countSchema,
  /** Operations outstanding when the connection was lost. */
  inDoubt: countSchema,
  /** Acknowledged operations whose loss would be invisible: all of their rows belong to operations in doubt. */
  couldHide: countSchema,
  /** Rows that no choice of the operations in doubt explains. */
  rowsUnexplained: countSchema,
});
export type Kill = z.infer<typeof killSchema>;

/** The result of `npm run kill-test` for one target at one tier: durable per operation, durable per batch, not durable. */
export const killTestSchema = z.strictObject({
  connector: nameSchema,
  level: requestedDurabilitySchema,
  /** Operations that are committed and acknowledged together. */
  batch: z.int().min(1),
  system: z.string(),
  version: z.string(),
  fileSystem: z.string(),
  workload: nameSchema,
  measuredAt: z.iso.datetime(),
  kills: z.array(killSchema).min(1),
  commits: commitProbeSchema.nullable(),
});
export type KillTest = z.infer<typeof killTestSchema>;

/** What a run knows of a target's durability besides its facts: one entry of `durability.json`. */
export const durabilityEvidenceSchema = z.strictObject({
  target: targetNameSchema,
  /** Time of one sync of the data directory, milliseconds; null where it was not measured. */
  syncMs: z.number().nullable(),
  /** The same target at both levels, measured before the rounds; null otherwise. */
  levels: z.strictObject({ durable: commitProbeSchema, async: commitProbeSchema }).nullable(),
  /** Why a target whose durability is only requested was not measured at both levels. */
  failure: z.string().nullable(),
  /** The stored kill test of exactly this version and this file system. */
  killTest: killTestSchema.nullable(),
  /** Stored power cuts of exactly this version, of this level and of the other one; absent for a server that a URL names. */
  powerCuts: z
    .strictObject({ own: powerCutsSchema.nullable(), otherLevel: powerCutsSchema.nullable() })
    .optional(),
  /** What others have published of this version. */
  knownLosses: z.array(knownLossSchema).optional(),
});
export type DurabilityEvidence = z.infer<typeof durabilityEvidenceSchema>;

/** How a target's durability is known. */
export const durabilityBasisSchema = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('read'), because: z.string() }),
  z.strictObject({
    status: z.literal('requested'),
    because: z.string(),
    /** Whether `npm run kill-test` could still show it. */
    killTestCouldShow: z.boolean().optional(),
    /** True where the live system said so, but nobody here sees what its log lies on. */
    isStorageUnknown: z.literal(true).optional(),
  }),
  z.strictObject({ status: z.literal('observed'), because: z.string() }),
  z.strictObject({ status: z.literal('refuted'), because: z.string() }),
]);
export type DurabilityBasis = z.infer<typeof durabilityBasisSchema>;

/** The words for a basis, the same in every output. */
export const basisWords: Readonly<Record<DurabilityBasis['status'], string>> = {
  read: 'read from the live system',
  requested: 'requested, not observed',
  observed: 'requested and observed',
  refuted: 'refuted by a kill or a power cut',
};

/** A target's line of the summary. */
export const targetDurabilitySchema = z.strictObject({
  ...durabilityEvidenceSchema.shape,
  durability: durabilitySchema,
  basis: durabilityBasisSchema,
});
export type TargetDurability = z.infer<typeof targetDurabilitySchema>;

const storedSchema = z.strictObject({ schemaVersion: z.literal(3), tests: z.array(killTestSchema) });

/** The file in which `npm run kill-test` keeps its results for later runs. */
export function killTestsFile(root: string): string {
  return join(resultsFolder(root), 'kill-tests.json');
}

/** All stored kill tests. For a broken file, rejects with the file, the fact and the remedy. */
export async function readKillTests(root: string): Promise<readonly KillTest[]> {
  const remedy = `run ${typedCommand('kill-test')} again after removing the file`;
  const stored = await readStored(killTestsFile(root), storedSchema, {
    what: 'table of kill tests',
    remedy,
  });
  return stored?.tests ?? [];
}

/** Adds tests to the table; they replace those of the same target, tier, version and file system. */
export async function storeKillTests(root: string, tests: readonly KillTest[]): Promise<string> {
  const known = new Map([...(await readKillTests(root)), ...tests].map((test) => [keyOf(test), test]));
  return await storeJson(killTestsFile(root), { schemaVersion: 3, tests: [...known.values()] });
}

/** What a kill test applies to: one version on one file system. */
type Killed = Pick<KillTest, 'connector' | 'level' | 'batch' | 'system' | 'version' | 'fileSystem'>;

/** The test of exactly this, or null. */
export function killTestOf(tests: readonly KillTest[], killed: Killed): KillTest | null {
  return tests.find((test) => keyOf(test) === keyOf(killed)) ?? null;
}

function keyOf({ connector, level, batch, system, version, fileSystem }: Killed): string {
  return JSON.stringify([connector, level, batch, system, version, fileSystem]);
}
