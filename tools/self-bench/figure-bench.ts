import { join, resolve } from 'node:path';
import Table from 'cli-table3';
import { Artifacts, type Figure, type SelfBenchSummary, selfBenchSummarySchema } from '@fair-bench/results';
import {
  type ExitCode,
  captureEnvironment,
  pinning,
  checkResultsDirectory,
  exitCodes,
  holdHost,
  listenForInterruption,
  makeResultsDirectory,
  runId,
} from '@fair-bench/runner';
import { type BenchContext, say } from '../bench.ts';

/** Where figures are measured and kept. */
export interface FigurePlace {
  readonly root: string;
  readonly out: string | undefined;
  /** Whether another run may measure on this machine. */
  readonly share: boolean;
  readonly dataDirectory: string | null;
}

interface FigureBench extends FigurePlace {
  readonly kind: 'aa' | 'self';
  /** The command, as it is typed. */
  readonly command: string;
}

interface MeasuredFigures {
  readonly figures: readonly Figure[];
  /** Work after the summary is written, unless interrupted. */
  readonly conclude?: (run: SelfBenchSummary['run'], artifacts: Artifacts) => Promise<void>;
}

/**
 * Measures figures and writes them to `summary.json`. A figure that misses its goal is marked; exits with 0 when all
 * figures were measured and met their goals, otherwise 1. Rejects with InputError if the results cannot be stored.
 */
export async function runFigureBench(
  { root, kind, command, out, share, dataDirectory }: FigureBench,
  measure: (context: BenchContext) => Promise<MeasuredFigures>,
): Promise<ExitCode> {
  const startedAt = new Date();
  const id = runId(kind, startedAt);
  const directory = resolve(out ?? join(root, 'results', id));
  await checkResultsDirectory(directory);
  using _ = holdHost({ root, command: `npm run bench:${kind}`, share });
  await makeResultsDirectory(directory);
  const artifacts = new Artifacts(directory);
  await artifacts.open();
  const interruption = listenForInterruption(say);
  const { signal } = interruption;
  try {
    const { figures, conclude } = await measure({ root, directory, dataDirectory, signal });
    const { words } = await pinning('off', 1);
    const input = { root, dataRoot: directory, fsyncPerSecond: null, pinning: words };
    const environment = await captureEnvironment(input);
    const times = { startedAt: startedAt.toISOString(), endedAt: new Date().toISOString() };
    const summary = selfBenchSummarySchema.parse({
      schemaVersion: 1,
      run: { id, ...times, interrupted: signal.aborted, command, environment },
      figures,
    });
    await artifacts.write('summary.json', summary);
    process.stdout.write(`${renderFigures(figures)}\n${join(directory, 'summary.json')}\n`);
    if (signal.aborted) return exitCodes.interrupted;
    await conclude?.(summary.run, artifacts);
    return figures.every(({ met }) => met) ? exitCodes.ok : exitCodes.void;
  } finally {
    interruption.dispose();
    artifacts.failures.forEach(say);
  }
}

/** A figure that should be at least `least`. */
export function atLeast(name: string, value: number, unit: string, least: number, note: string): Figure {
  return { name, value: round(value), unit, goal: `≥ ${least}`, met: value >= least, note };
}

/** A figure that should be at most `most`. */
export function atMost(name: string, value: number, unit: string, most: number, note: string): Figure {
  return { name, value: round(value), unit, goal: `≤ ${most}`, met: value <= most, note };
}

/** A figure that could not be measured, with the reason. */
export function missing(name: string, unit: string, goal: string, reason: string): Figure {
  return { name, value: null, unit, goal, met: false, note: reason };
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}

/** The figures as a table, with a note under each missed one. */
function renderFigures(figures: readonly Figure[]): string {
  const table = new Table({
    head: ['figure', 'value', 'unit', 'goal', 'met'],
    style: { head: [], border: [] },
  });
  for (const { name, value, unit, goal, met } of figures) {
    table.push([name, value === null ? '–' : String(value), unit, goal, met ? 'yes' : 'NO']);
  }
  const notes = figures.map(({ name, note }) => `  ${name}: ${note}`);
  return `${table.toString()}\n${notes.join('\n')}`;
}
