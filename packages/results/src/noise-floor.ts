import { resultsFolder } from './folder.ts';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { countSchema, targetNameSchema } from '@fair-bench/contract';
import { readStored, storeJson } from './files.ts';

/** The machine that a noise floor is valid for, without a host name. */
export const machineFingerprintSchema = z.strictObject({
  cpuModel: z.string(),
  cores: countSchema,
  kernel: z.string(),
});
type MachineFingerprint = z.infer<typeof machineFingerprintSchema>;

/** What `npm run bench:aa` found: this machine's minimum detectable difference. */
export const noiseFloorSchema = z.strictObject({
  target: targetNameSchema,
  /** A ratio further from 1 than this, up or down, is more than noise: 1.04 says 4 %. */
  ratio: z.number().min(1),
  /** Rounds of a comparison that the ratio applies to; in a run's summary, the run's own. */
  rounds: z.int().min(2),
  /** The timed window of its trials. */
  windowMs: z.int().min(1),
  repetitions: z.int().min(1),
  /** Repetitions in which a target differed from itself by chance. */
  falseAlarms: z.int().min(0),
  measuredAt: z.iso.datetime(),
  machine: machineFingerprintSchema,
});
export type NoiseFloor = z.infer<typeof noiseFloorSchema>;

/** The file in which `bench:aa` keeps it in the checkout; also its name among a run's artifacts. */
export const noiseFloorFile = 'noise-floor.json';

interface Machine {
  readonly cpu: { readonly model: string; readonly cores: number };
  readonly os: { readonly kernel: string };
}

export function machineOf({ cpu, os }: Machine): MachineFingerprint {
  return { cpuModel: cpu.model, cores: cpu.cores, kernel: os.kernel };
}

/**
 * The noise floor of this machine; null without one, or with one of another machine. For an unreadable file, rejects
 * with file, fact and remedy.
 */
export async function readNoiseFloor(root: string, machine: Machine): Promise<NoiseFloor | null> {
  const remedy = 'run npm run bench:aa again, or remove the file';
  const path = join(resultsFolder(root), noiseFloorFile);
  const floor = await readStored(path, noiseFloorSchema, { what: 'noise-floor file', remedy });
  return isDeepStrictEqual(floor?.machine, machineOf(machine)) ? floor : null;
}

/** Stores it for later runs of this checkout, replacing an older one; returns the file's path. */
export async function storeNoiseFloor(root: string, floor: NoiseFloor): Promise<string> {
  return await storeJson(join(resultsFolder(root), noiseFloorFile), noiseFloorSchema.parse(floor));
}
