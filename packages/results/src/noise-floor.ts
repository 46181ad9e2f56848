import { z } from 'zod';
import { countSchema, targetNameSchema } from '@fair-bench/contract';

/** What a noise floor is bound to: on another machine it says nothing. No name of a host is in it. */
export const machineFingerprintSchema = z.strictObject({
  cpuModel: z.string(),
  cores: countSchema,
  kernel: z.string(),
});
export type MachineFingerprint = z.infer<typeof machineFingerprintSchema>;

/** What `npm run bench:aa` found: this machine's minimum detectable difference. */
export const noiseFloorSchema = z.strictObject({
  target: targetNameSchema,
  /** A ratio further from 1 than this, up or down, is more than noise: 1.04 says 4 %. */
  ratio: z.number().min(1),
  /** Rounds of a comparison that the ratio holds for; of a run's summary, the run's own. */
  rounds: z.int().min(2),
  /** The timed window of the trials that it was measured with. */
  windowMs: z.int().min(1),
  repetitions: z.int().min(1),
  /** Repetitions in which a target was called different from itself. */
  falseAlarms: z.int().min(0),
  measuredAt: z.iso.datetime(),
  machine: machineFingerprintSchema,
});
export type NoiseFloor = z.infer<typeof noiseFloorSchema>;
