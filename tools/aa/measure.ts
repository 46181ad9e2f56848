import { join } from 'node:path';
import type { PassedTrial, RunPlan, RunSummary } from '@fair-bench/results';
import { isPassed, readArtifacts } from '@fair-bench/results';
import { defaultWorkload, linesOnly, runBenchmark, type TargetDefinition } from '@fair-bench/runner';
import { type BenchContext, planBench, say } from '../bench.ts';

/** As many as the targets of a default run here. */
const copies = 4;

interface AaPlan {
  /** One is measured against itself, under several names; several against each other. */
  readonly targets: readonly string[];
  /** Options of `fair-bench`, as texts; the others have their defaults. */
  readonly options: Readonly<Record<string, string | boolean>>;
}

/** A run in which every target is the same, or one of several that are equal. */
export interface AaRun {
  readonly plan: RunPlan;
  readonly summary: RunSummary;
  readonly trials: readonly PassedTrial[];
}

/**
 * One default run of `fair-bench`, with the same design, budget and statistics: of several targets, or of one under
 * several names. Rejects when a trial is void.
 */
export async function measureAa(context: BenchContext, aa: AaPlan, number: number): Promise<AaRun> {
  const beganMs = performance.now();
  const directory = join(context.directory, `run-${number}`);
  const { plan, prepared } = await planBench(context, {
    id: `aa-${number}`,
    command: 'bench:aa',
    names: aa.targets,
    directory,
    workload: defaultWorkload,
    texts: { ...aa.options, seed: String(41 + number) },
    targetsOf: copiesOf,
  });
  const display = linesOnly(say, say);
  const summary = await runBenchmark(plan, { ...prepared, display, signal: context.signal, beganMs });
  const { plan: measured, trials } = await readArtifacts(directory);
  const held = trials.filter(isPassed);
  const failed = trials.find(({ status }) => status === 'void');
  if (failed !== undefined && failed.status !== 'ok') throw new Error(`${failed.cellId}: ${failed.reason}`);
  return { plan: measured, summary, trials: held };
}

function copiesOf(definitions: readonly TargetDefinition[]): readonly TargetDefinition[] {
  const [only] = definitions;
  if (only === undefined || definitions.length > 1) return definitions;
  return Array.from({ length: copies }, (_, copy) => ({
    ...only,
    target: `${only.target}@copy-${copy + 1}`,
  }));
}
