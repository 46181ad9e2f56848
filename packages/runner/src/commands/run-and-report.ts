import { dirname, relative } from 'node:path';
import { messageOf } from '@fair-bench/contract';
import { readRunIndex, type RunPlan, type RunSummary, type Search, resultsFolder } from '@fair-bench/results';
import { createDisplay } from './display.ts';
import { exitCodeOfRun, type ExitCode } from './exit-codes.ts';
import { makeResultsDirectory } from './folders.ts';
import { listenForInterruption } from './interruption.ts';
import { trialOverheadMs } from '../plan/timing.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { SoakSetting } from '../options/soak-options.ts';
import type { RunContext } from '../measure/run-context.ts';

/** The input of a command that measures. */
export interface CommandInput<Options> {
  readonly root: string;
  readonly options: Options;
  /** The command's name and its arguments, for the record. */
  readonly command: readonly string[];
  /** The data directory of the environment; the option overrides it. */
  readonly dataDirectory: string | null;
}

export interface RunCommandInput extends CommandInput<RunOptions> {
  /** The two that `compare --interleave` names, and whether the exit code reports a second that is slower. */
  readonly comparing?:
    { readonly ends: readonly [string, string]; readonly failOnRegression: boolean } | undefined;
  /** Of `soak`. */
  readonly soak?: SoakSetting | undefined;
}

/** A run that is checked and ready, with nothing started or written. */
export interface PreparedRun {
  readonly plan: RunPlan;
  readonly context: Omit<RunContext, 'display' | 'signal'>;
  /** Whether NOT FAIR changes the exit code. */
  readonly strict: boolean;
  /** Whether every section of the report is printed. */
  readonly verbose: boolean;
  readonly failOnRegression?: boolean;
  /** What the run was asked for and cannot measure here, with the reasons: said before it starts. */
  readonly unmeasured?: readonly string[];
  /** Of each, at least one target must be available: what was requested by name, or the exit code is 1. */
  readonly required: readonly (readonly string[])[];
}

/** Executes a prepared run with a display, and prints its report. */
export async function runAndReport(prepared: PreparedRun): Promise<ExitCode> {
  const { context, verbose } = prepared;
  const summary = await measureRun(prepared);
  const { renderTerminal, terminalOptions } = await import('@fair-bench/report');
  process.stdout.write(
    `${renderTerminal(summary, terminalOptions(process.stdout, verbose))}\nresults in ${fromHere(context.directory)}: report.html, report.md, summary.json\n`,
  );
  return exitCodeOfRun(summary, prepared);
}

/** Measures a prepared run in front of the user. */
async function measureRun({ plan, context, unmeasured = [] }: PreparedRun): Promise<RunSummary> {
  // Loaded here, so that bad input is answered without delay.
  const { runBenchmark } = await import('../run/pipeline.ts');
  return await beforeUser(plan, context, async (run) => {
    if (plan.mode === 'fair' && plan.command[0] === 'bench') run.display.message(withoutMode);
    await announce(plan, run);
    for (const line of [...(plan.notes ?? []), ...unmeasured]) run.display.message(line);
    const summary = await runBenchmark(plan, run);
    const { directory, root, display } = run;
    const results = resultsFolder(root);
    // Adds this run and any other new one to the index; a failure here is repaired by the next reader.
    if (dirname(directory) === results)
      await readRunIndex(results).catch((error: unknown) => display.message(`results: ${messageOf(error)}`));
    return summary;
  });
}

/** The search of a plan, in front of the user; null when the user interrupted it. */
export async function searchFirst({
  plan,
  context,
}: Pick<PreparedRun, 'plan' | 'context'>): Promise<readonly Search[] | null> {
  const { runSearch } = await import('../run/pipeline.ts');
  return await beforeUser(plan, context, async (run) => {
    await announce(plan, run);
    const search = await runSearch(plan, run);
    return run.signal.aborted ? null : search;
  });
}

/** With a display, and a signal that the user's interruption aborts. */
async function beforeUser<Result>(
  plan: RunPlan,
  context: PreparedRun['context'],
  use: (run: RunContext) => Promise<Result>,
): Promise<Result> {
  await makeResultsDirectory(context.directory);
  const interruption = listenForInterruption((line) => process.stderr.write(`fair-bench: ${line}\n`));
  const { warmupMs, windowMs } = plan.timing;
  const display = createDisplay(process.stdout, warmupMs + windowMs + trialOverheadMs);
  try {
    return await use({ ...context, display, signal: interruption.signal });
  } finally {
    display.close();
    interruption.dispose();
  }
}

/** What `npm run bench` measures unless it is given another mode. */
const withoutMode =
  'bench in fair mode measures what fair-bench does: every target under equal terms. --mode optimized compares each system at its best; --mode published judges a claim';

async function announce(plan: RunPlan, { directory, display }: RunContext): Promise<void> {
  const { searchTrialsMax } = await import('../search/search-stage.ts');
  display.message(announcement(plan, searchTrialsMax(plan), directory));
}

function announcement(plan: RunPlan, ofSearch: number, directory: string): string {
  const { cells, rounds, timing, allocation, search } = plan;
  const results = `results in ${fromHere(directory)}`;
  const trialMs = timing.warmupMs + timing.windowMs + trialOverheadMs;
  const least = allocation === undefined ? '' : 'at least ';
  if (search !== undefined) {
    const { contests } = search;
    const leastMs = Math.max(allocation?.budgetMs ?? 0, contests.length * rounds.length * trialMs);
    const until =
      search.endsAtMs === undefined ? '' : ` until ${Math.round(search.endsAtMs / 1000)} s at the latest`;
    return `search: the best point for each of ${contests.map(({ name }) => name).join(', ')} among ${cells.length} routes and clients, at most ${ofSearch} trials${until}; then ${least}${rounds.length} rounds, about ${Math.ceil(leastMs / 1000)} s in all; ${results}`;
  }
  const trials = rounds.flat().length;
  const seconds = Math.ceil(Math.max(trials * trialMs, allocation?.budgetMs ?? 0) / 1000);
  if (plan.soak !== undefined)
    return `cells: ${cells.length}, slices of each: ${plan.soak.slices}, about ${Math.ceil(seconds / 60)} min; ${results}`;
  return `cells: ${cells.length}, rounds: ${least}${rounds.length}, trials: ${least}${trials}, about ${seconds} s; ${results}`;
}

/** The path as a user types it here. */
function fromHere(directory: string): string {
  const path = relative(process.cwd(), directory);
  return path.startsWith('..') ? directory : path;
}
