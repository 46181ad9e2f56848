import { join } from 'node:path';
import type { PassedTrial, RunPlan, RunSummary } from '@fair-bench/results';
import { isPassed, readArtifacts } from '@fair-bench/results';
import {
  buildPlan,
  chosenTargets,
  defaultWorkload,
  type Display,
  discover,
  loadWorkload,
  parseRunOptions,
  prepareContext,
  runBenchmark,
  runDefaults,
} from '@fair-bench/runner';
import type { BenchContext } from '../bench.ts';
import { say } from '../self-bench/figure-bench.ts';

/** As many as the targets of a default run here. */
const copies = 4;

export interface AaPlan {
  readonly root: string;
  readonly target: string;
  /** Options of `fair-bench`, as texts; the others have their defaults. */
  readonly options: Readonly<Record<string, string | boolean>>;
  readonly dataDirectory: string | null;
}

/** A run in which every target is the same. */
export interface AaRun {
  readonly plan: RunPlan;
  readonly summary: RunSummary;
  readonly trials: readonly PassedTrial[];
}

/**
 * One default run of `fair-bench` with one target under several names: the same design, budget and statistics.
 * Rejects when a trial is void.
 */
export async function measureAa(context: BenchContext, aa: AaPlan, number: number): Promise<AaRun> {
  const { root, target, dataDirectory } = aa;
  const catalog = await discover(root);
  const workload = await loadWorkload(root, defaultWorkload);
  const texts = { ...runDefaults, ...aa.options, systems: target, seed: String(41 + number) };
  const options = parseRunOptions({ ...texts, strict: false, url: [], set: [] });
  const [definition] = chosenTargets(catalog, options);
  if (definition === undefined) throw new Error(`bench:aa: ${target} was not found`);
  const targets = Array.from({ length: copies }, (_, copy) => ({
    ...definition,
    target: `${target}@copy-${copy + 1}`,
  }));
  const plan = buildPlan({ id: `aa-${number}`, command: ['bench:aa'], options, targets, workload });
  const directory = join(context.directory, `run-${number}`);
  const prepared = await prepareContext({
    root,
    plan,
    targets,
    workload,
    options: { out: directory },
    dataDirectory,
  });
  const summary = await runBenchmark(plan, { ...prepared, display: lines, signal: context.signal });
  const { plan: measured, trials } = await readArtifacts(directory);
  const held = trials.filter(isPassed);
  const failed = trials.find(({ status }) => status === 'void');
  if (failed !== undefined && failed.status !== 'ok') throw new Error(`${failed.cellId}: ${failed.reason}`);
  return { plan: measured, summary, trials: held };
}

const nothing = (): void => undefined;

/** A run is reduced to one line per trial. */
const lines: Display = {
  message: say,
  trialStarted: nothing,
  phase: nothing,
  progress: nothing,
  trialEnded: say,
  contrast: nothing,
  close: nothing,
};
