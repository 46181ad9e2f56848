import { replayInCode } from './code/replay-in-code.ts';
import type { ReplayInput, ReplayResult } from './replay/finding.ts';
import { replayDescribed } from './replay/outcomes.ts';

/** Compares what a trial's operations must have done with the database: by their descriptions, or by their functions. */
export async function replayOutcomes(input: ReplayInput): Promise<ReplayResult> {
  return input.workload.description.code === undefined
    ? await replayDescribed(input)
    : await replayInCode(input);
}
