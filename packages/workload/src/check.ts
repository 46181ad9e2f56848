import type { Mistake } from './parse.ts';
import type { WorkloadDescription } from './schema.ts';

/** What refers to something else in a description that is not there, or of another type. Empty: all is well. */
export function checkReferences(_description: WorkloadDescription): Mistake[] {
  return [];
}
