import { z } from 'zod';
import { hostConditionsSchema } from './host.ts';

/** How many trials allow one repeat, and how many repeats any run may have. */
export const again = { trialsForEach: 4, leastOfRun: 2 } as const;

/** A cell may measure one void again for each of this many rounds, and one in any case. */
export const roundsForEachVoid = 5;

/** A cell of this many rounds is void if more of its trials were, however often they passed later. */
export function voidsAllowed(rounds: number): number {
  return Math.max(1, Math.floor(rounds / roundsForEachVoid));
}

const voidSetAsideSchema = z.strictObject({
  file: z.string(),
  /** Only rules that the machine alone can break. */
  voidBy: z.array(z.string()),
  reason: z.string(),
});

/** A trial that was measured again: disturbed by the host, or void. Its record, relative to the run's folder, is used in no number. */
export const setAsideSchema = z.union([
  z.strictObject({ file: z.string(), host: hostConditionsSchema }),
  voidSetAsideSchema,
]);
export type SetAside = z.infer<typeof setAsideSchema>;
export type VoidSetAside = z.infer<typeof voidSetAsideSchema>;

/** The voids that were measured again before this trial. */
export function voidsBefore({
  setAside = [],
}: {
  readonly setAside?: readonly SetAside[] | undefined;
}): VoidSetAside[] {
  return setAside.flatMap((one) => ('voidBy' in one ? [one] : []));
}
