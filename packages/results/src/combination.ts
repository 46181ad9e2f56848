import { z } from 'zod';
import { jsonObjectSchema } from '@fair-bench/contract';
import type { Cell } from './run-plan.ts';

/** At what of its workload something was measured. Runs of before have neither parameters nor axes. */
export const combination = {
  /** Of the workload, complete. */
  parameters: jsonObjectSchema.optional(),
  /** The parameters that distinguish cells, as the workload says. */
  axes: z.array(z.string()).optional(),
  /** The parameter of that name where it is a number: what `parameters` was before there was more than one workload. */
  alpha: z.number().nullable(),
};

const combinationSchema = z.strictObject(combination);

/** The combination of a cell, as the summary says it. */
export function combinationOf({
  parameters,
  axes,
}: Pick<Cell, 'parameters' | 'axes'>): z.infer<typeof combinationSchema> {
  const { alpha = null } = parameters;
  return { parameters, axes, alpha: typeof alpha === 'number' ? alpha : null };
}
