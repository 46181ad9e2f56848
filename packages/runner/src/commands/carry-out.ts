import { dirname, join, relative } from 'node:path';
import { messageOf } from '@fair-bench/contract';
import { readRunIndex, type RunPlan, type RunSummary } from '@fair-bench/results';
import { createDisplay } from './display.ts';
import { exitCodeOfRun, type ExitCode } from './exit-codes.ts';
import { makeResultsDirectory } from './folders.ts';
import { listenForInterruption } from './interruption.ts';
import { trialOverheadMs } from '../plan/timing.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { RunContext } from '../measure/run-context.ts';

/** What a command that measures is given. */
export interface CommandInput<Options> {
  readonly root: string;
  readonly options: Options;
  /** The command's name and its arguments, for the record. */
  readonly command: readonly string[];
  /** The data directory that the environment names; the option overrules it. */
  readonly dataDirectory: string | null;
}

export interface RunCommandInput extends CommandInput<RunOptions> {
  /** Whether a second target that is slower than the first decides the exit code. */
  readonly failOnRegression?: boolean;
}

/** Everything up to the moment from which something is started or written. */
export interface PreparedRun {
  readonly plan: RunPlan;
  readonly context: Omit<RunContext, 'display' | 'signal'>;
  /** Whether a verdict of NOT FAIR decides the exit code. */
  readonly strict: boolean;
  /** Whether every section of the report is printed. */
  readonly verbose: boolean;
  readonly failOnRegression?: boolean;
  /** Targets that were requested by name; others may be unavailable without harm. */
  readonly required: ReadonlySet<string>;
}

/** Carries out a prepared run in front of the user, and prints its report. */
export async function carryOut(prepared: PreparedRun): Promise<ExitCode> {
  const { context, verbose } = prepared;
  const summary = await measure(prepared);
  const { renderTerminal, terminalOptions } = await import('@fair-bench/report');
  process.stdout.write(
    `${renderTerminal(summary, terminalOptions(process.stdout, verbose))}\nresults in ${fromHere(context.directory)}: report.html, report.md, summary.json\n`,
  );
  return exitCodeOfRun(summary, prepared);
}

/** Measures a prepared run in front of the user. */
export async function measure({ plan, context }: Pick<PreparedRun, 'plan' | 'context'>): Promise<RunSummary> {
  const { directory } = context;
  await makeResultsDirectory(directory);
  // Loaded only now, so that bad input is answered at once.
  const { runBenchmark } = await import('../run/pipeline.ts');
  const interruption = listenForInterruption((line) => process.stderr.write(`fair-bench: ${line}\n`));
  const { warmupMs, windowMs } = plan.timing;
  const display = createDisplay(process.stdout, warmupMs + windowMs + trialOverheadMs);
  try {
    display.message(announcement(plan, directory));
    const summary = await runBenchmark(plan, { ...context, display, signal: interruption.signal });
    const results = join(context.root, 'results');
    // Of this run and whatever else is new there; what cannot be kept is made again by who reads it.
    if (dirname(directory) === results)
      await readRunIndex(results).catch((error: unknown) => display.message(`results: ${messageOf(error)}`));
    return summary;
  } finally {
    display.close();
    interruption.dispose();
  }
}

function announcement({ cells, rounds, timing, allocation }: RunPlan, directory: string): string {
  const trials = cells.length * rounds.length;
  const leastMs = trials * (timing.warmupMs + timing.windowMs + trialOverheadMs);
  const seconds = Math.ceil(Math.max(leastMs, allocation?.budgetMs ?? 0) / 1000);
  const least = allocation === undefined ? '' : 'at least ';
  return `cells: ${cells.length}, rounds: ${least}${rounds.length}, trials: ${least}${trials}, about ${seconds} s; results in ${fromHere(directory)}`;
}

/** The path as a user types it here. */
function fromHere(directory: string): string {
  const path = relative(process.cwd(), directory);
  return path.startsWith('..') ? directory : path;
}
