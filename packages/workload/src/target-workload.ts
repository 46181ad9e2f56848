import { jsonObjectSchema, type TargetWorkload } from '@fair-bench/contract';
import { programOf } from './code/program.ts';
import { parseDescription } from './parse.ts';
import { defaultParameters, resolveWorkload } from './resolve.ts';
import type { Workload } from './resolved.ts';
import { shapeOf } from './shape.ts';
import type { Effect, Operation, SimpleEffect, WorkloadDescription } from './schema.ts';

/** A workload as a target is started for it; with its default parameters where no other shape is given. */
export function targetWorkload(
  { description, folder }: { readonly description: WorkloadDescription; readonly folder: string },
  shape = shapeOf(resolveWorkload(description, defaultParameters(description))),
): TargetWorkload {
  const json = jsonObjectSchema.parse(description);
  return { shape, description: json, folder, mayOnlyInsert: mayOnlyInsert(description) };
}

/**
 * Whether a transaction of the workload may do nothing but insert rows: MySQL's InnoDB takes one id for such a one, and two for another.
 * Of an operation in code this is taken to be so where no table that it writes has a chain.
 */
function mayOnlyInsert(description: WorkloadDescription): boolean {
  const chains = Object.values(programOf(description)?.chains ?? {});
  const hasChain = (table: string): boolean => chains.some((chain) => chain.table === table);
  return description.operations.some(({ effects, code }: Operation) => {
    if (code !== undefined) {
      const written = Object.keys(code.writes);
      return written.length > 0 && !written.some(hasChain);
    }
    const simple = effects.map(simpleOf);
    const inserts = simple.filter(({ kind }) => kind === 'insert');
    if (inserts.some((each) => 'ifMissing' in each)) return true;
    return inserts.length > 0 && inserts.length === simple.length;
  });
}

function simpleOf(effect: Effect): SimpleEffect {
  return effect.kind === 'each' ? effect.effect : effect;
}

/**
 * The workload of a description that a target was given, for what carries its operations out: parameters decide what is drawn
 * and seeded, which no operation has. `source` names the target in errors. Throws a WorkloadError.
 */
export function workloadWithDefaults(json: unknown, source: string): Workload {
  const description = parseDescription(json, source);
  return resolveWorkload(description, defaultParameters(description));
}
