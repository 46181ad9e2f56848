import type { CellSummary, Comparison } from '@fair-bench/results';

/** How a command ends, for scripts. */
export const exitCodes = {
  ok: 0,
  /** Something was void, or a target requested by name was unavailable. */
  void: 1,
  badInput: 2,
  notFair: 3,
  regression: 4,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The parts of a run's summary that determine the exit code. */
export interface RunEnding {
  readonly run: { readonly interrupted: boolean };
  readonly verdict: { readonly fair: boolean };
  readonly cells: readonly Pick<CellSummary, 'status' | 'target'>[];
  readonly comparisons: readonly Pick<Comparison, 'ratio' | 'significant' | 'belowNoiseFloor'>[];
}

/**
 * The exit code of a run. Interruption comes first, because the rest is unknown; then `--strict`; then single cells.
 * @param required targets that were requested by name; others may be unavailable without changing the exit code.
 */
export function exitCodeOfRun(
  summary: RunEnding,
  options: {
    readonly strict: boolean;
    readonly required: ReadonlySet<string>;
    readonly failOnRegression?: boolean;
  },
): ExitCode {
  if (summary.run.interrupted) return exitCodes.interrupted;
  if (options.strict && !summary.verdict.fair) return exitCodes.notFair;
  const failed = summary.cells.some(
    (cell) => cell.status === 'void' || (cell.status === 'unavailable' && options.required.has(cell.target)),
  );
  const measured = summary.cells.some((cell) => cell.status === 'ok');
  if (failed || !measured) return exitCodes.void;
  const isSlower = summary.comparisons.some(
    ({ ratio, significant, belowNoiseFloor }) => significant && belowNoiseFloor !== true && ratio < 1,
  );
  return options.failOnRegression === true && isSlower ? exitCodes.regression : exitCodes.ok;
}
