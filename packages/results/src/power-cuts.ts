import { join } from 'node:path';
import { countSchema, nameSchema, requestedDurabilitySchema, typedCommand } from '@fair-bench/contract';
import { z } from 'zod';
import { readStored, storeJson } from './files.ts';
import { resultsFolder } from './folder.ts';
import { injectedFaultKinds } from './injected-fault.ts';

/** What power cuts took from one version of a system at one level: they have a file system of ours below them. */
export const powerCutsSchema = z.strictObject({
  connector: nameSchema,
  level: requestedDurabilitySchema,
  batch: z.int().min(1),
  system: z.string(),
  version: z.string(),
  workload: nameSchema,
  measuredAt: z.iso.datetime(),
  cuts: z.int().min(1),
  /** Cuts after which something acknowledged was missing, or nothing could be read. */
  lossy: countSchema,
  /** Cuts whose rows do not tell, or are explained by nothing that was acknowledged. */
  undecided: countSchema,
  acknowledged: countSchema,
});
export type PowerCuts = z.infer<typeof powerCutsSchema>;

/** A loss that others have found and published: a file of `claims/known-losses`. */
export const knownLossSchema = z.strictObject({
  system: z.string(),
  /** Exactly as the system says its version. */
  versions: z.array(z.string()).min(1),
  fault: z.enum(injectedFaultKinds),
  what: z.string(),
  mended: z.string().nullable(),
  source: z.url(),
});
export type KnownLoss = z.infer<typeof knownLossSchema>;

const storedSchema = z.strictObject({ schemaVersion: z.literal(1), tests: z.array(powerCutsSchema) });

function fileIn(root: string): string {
  return join(resultsFolder(root), 'power-cuts.json');
}

/** All that are stored. For a broken file, rejects with the file, the fact and the remedy. */
export async function readPowerCuts(root: string): Promise<readonly PowerCuts[]> {
  const remedy = `remove the file, and run ${typedCommand('fair-bench')} with --fault power-cut again`;
  const stored = await readStored(fileIn(root), storedSchema, { what: 'table of power cuts', remedy });
  return stored?.tests ?? [];
}

/** Adds tests to the table; they replace those of the same target, tier and version. */
export async function storePowerCuts(root: string, tests: readonly PowerCuts[]): Promise<void> {
  const known = new Map([...(await readPowerCuts(root)), ...tests].map((test) => [keyOf(test), test]));
  await storeJson(fileIn(root), { schemaVersion: 1, tests: [...known.values()] });
}

type Cut = Pick<PowerCuts, 'connector' | 'level' | 'batch' | 'system' | 'version'>;

/** The test of exactly this, or null. */
export function powerCutsOf(tests: readonly PowerCuts[], cut: Cut): PowerCuts | null {
  return tests.find((test) => keyOf(test) === keyOf(cut)) ?? null;
}

function keyOf({ connector, level, batch, system, version }: Cut): string {
  return JSON.stringify([connector, level, batch, system, version]);
}
