import { z } from 'zod';
import { hostConditionsSchema } from './host.ts';

/** A run may repeat one trial in `trialsForEach`, and `leastOfRun` in any case. */
export const again = { trialsForEach: 4, leastOfRun: 2 } as const;

/** A cell may repeat one void trial for each five rounds, and one in any case. */
export const roundsForEachVoid = 5;

/** A cell with more void trials than this is void, even if each of them passed when it was repeated. */
export function voidsAllowed(rounds: number): number {
  return Math.max(1, Math.floor(rounds / roundsForEachVoid));
}

const discardedVoidSchema = z.strictObject({
  file: z.string(),
  /** Only rules that the machine alone can break. */
  voidBy: z.array(z.string()),
  reason: z.string(),
});

/** A trial that was repeated because the host disturbed it, or because it was void; no number uses it. `file` is its record in the run's folder. */
export const discardedTrialSchema = z.union([
  z.strictObject({ file: z.string(), host: hostConditionsSchema }),
  discardedVoidSchema,
]);
export type DiscardedTrial = z.infer<typeof discardedTrialSchema>;
type DiscardedVoid = z.infer<typeof discardedVoidSchema>;

/** The void trials that this one replaces. */
export function voidsBefore({
  discardedTrials = [],
}: {
  readonly discardedTrials?: readonly DiscardedTrial[] | undefined;
}): DiscardedVoid[] {
  return discardedTrials.flatMap((one) => ('voidBy' in one ? [one] : []));
}
