import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Environment } from './summary.ts';
import { type MachineFingerprint, type NoiseFloor, noiseFloorSchema } from './noise-floor.ts';
import { z } from 'zod';
import { firstIssue, messageOf } from '@fair-bench/contract';

/** Where `bench:aa` leaves it in the checkout; also its name among a run's artifacts. */
export const noiseFloorFile = 'noise-floor.json';

/** What a noise floor is bound to. */
export function machineOf({ cpu, os }: Pick<Environment, 'cpu' | 'os'>): MachineFingerprint {
  return { cpuModel: cpu.model, cores: cpu.cores, kernel: os.kernel };
}

/**
 * The noise floor that was measured on this machine; null without one, or with one of another machine.
 * Rejects with an error that says file, fact and remedy when the file cannot be read or is not one.
 */
export async function readNoiseFloor(root: string, environment: Environment): Promise<NoiseFloor | null> {
  const path = join(root, 'results', noiseFloorFile);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new Error(`${path}: cannot be read: ${messageOf(error)}`, { cause: error });
  });
  if (text === null) return null;
  const floor = parse(path, text);
  return isDeepStrictEqual(floor.machine, machineOf(environment)) ? floor : null;
}

/** Stores it for later runs of this checkout, in place of an older one; gives the file's path. */
export async function storeNoiseFloor(root: string, floor: NoiseFloor): Promise<string> {
  const path = join(root, 'results', noiseFloorFile);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.partial`, `${JSON.stringify(noiseFloorSchema.parse(floor), null, 2)}\n`);
  await rename(`${path}.partial`, path);
  return path;
}

function parse(path: string, text: string): NoiseFloor {
  const remedy = 'run npm run bench:aa again, or remove the file';
  try {
    return noiseFloorSchema.parse(JSON.parse(text));
  } catch (error) {
    const fact = error instanceof z.ZodError ? firstIssue(error) : messageOf(error);
    throw new Error(`${path}: is not a noise-floor file: ${fact}; ${remedy}`, { cause: error });
  }
}
