import { z } from 'zod';
import { jsonObjectSchema } from '@fair-bench/contract';
import type { Cell } from './run-plan.ts';

/** The workload's combination that something was measured at. */
export const combination = {
  /** Of the workload, complete. */
  parameters: jsonObjectSchema,
  /** The parameters that distinguish cells, as the workload says. */
  axes: z.array(z.string()),
  /** The parameter of that name if it is a number. */
  alpha: z.number().nullable(),
};

const combinationSchema = z.strictObject(combination);

/** The combination of a cell, as in the summary. */
export function combinationOf({
  parameters,
  axes,
}: Pick<Cell, 'parameters' | 'axes'>): z.infer<typeof combinationSchema> {
  const { alpha = null } = parameters;
  return { parameters, axes, alpha: typeof alpha === 'number' ? alpha : null };
}

/** The load of a cell, as in the summary. */
export function cellLoadOf({ id: _id, target: _target, threads: _threads, poolSize: _pool, ...load }: Cell) {
  return { ...load, ...combinationOf(load) };
}
