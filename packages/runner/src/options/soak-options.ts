import { z } from 'zod';
import { InputError } from '@fair-bench/contract';
import type { SoakPlan } from '@fair-bench/results';
import { type OptionGroup, optionTexts as texts } from './option-texts.ts';
import { durationText } from './option-values.ts';

/** How a soak is divided. */
export interface SoakSetting extends SoakPlan {
  readonly sliceMs: number;
  /** Whether targets take turns slice by slice, and not one after the other. */
  readonly isInterleaved: boolean;
}

/** The outcome log has times up to 71 minutes after its first operation. */
const sliceMsMax = 3_600_000;

export const soakOptions = {
  for: durationText(1_000).prefault('10m').register(texts, {
    argument: 'time',
    meaning: 'how long each target is under load; load pauses only for the audit after each slice',
  }),
  // A shorter one has no whole second.
  slice: durationText(2_000).prefault('60s').register(texts, {
    argument: 'time',
    meaning:
      'after so long every row is compared with what was acknowledged, and the load goes on from there',
  }),
  interleave: z.boolean().prefault(false).register(texts, {
    argument: null,
    meaning: 'targets take turns, slice by slice; the others stand still meanwhile',
    otherwise: 'one target after the other',
  }),
} satisfies OptionGroup;

const soakSchema = z.strictObject(soakOptions);

/** By the texts of the options; an InputError names the one that is refused. */
export function soakOf({ for: forMs, slice: sliceMs, interleave }: z.infer<typeof soakSchema>): SoakSetting {
  if (sliceMs > sliceMsMax) throw new InputError('--slice: accepts at most 1h; give a shorter one');
  const slices = Math.max(1, Math.ceil(forMs / sliceMs));
  return { forMs, slices, sliceMs: Math.ceil(forMs / slices), isInterleaved: interleave };
}
