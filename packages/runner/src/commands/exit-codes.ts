import type { CellSummary, Comparison, FaultSummary } from '@fair-bench/results';

/** How a command ends, for scripts. */
export const exitCodes = {
  ok: 0,
  /** Something was void, or a target, or every target of a system, requested by name was unavailable. */
  void: 1,
  badInput: 2,
  notFair: 3,
  regression: 4,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A fault that lost what was acknowledged as durable fails a run, as in a kill test; so does one that made a target do something twice. */
type FaultEnding = Pick<FaultSummary, 'durability' | 'void' | 'found'>;

function hasFailed({ durability, void: voids, found }: FaultEnding): boolean {
  if (found === null) return voids > 0;
  const { kept, lossy, doubling, differing, undecided, gone } = found;
  const isUndecided = kept === 0 && undecided > 0;
  // What a level that is not durable loses is its nature; doing something twice is no level's.
  const isBroken = durability === 'durable' && lossy + gone > 0;
  return voids > 0 || isUndecided || isBroken || doubling + differing > 0;
}

/** The parts of a run's summary that determine the exit code. */
interface RunEnding {
  readonly run: { readonly interrupted: boolean };
  readonly verdict: { readonly fair: boolean };
  readonly cells: readonly Pick<CellSummary, 'status' | 'target'>[];
  readonly faults?: readonly FaultEnding[] | undefined;
  readonly comparisons: readonly Pick<Comparison, 'ratio' | 'significant' | 'belowNoiseFloor'>[];
}

/**
 * The exit code of a run. Interruption comes first, because the rest is unknown; then `--strict`; then single cells.
 * @param required of each of these at least one target must be available: a target that was requested by name, or those of a
 *   system that was. Others may be unavailable without changing the exit code.
 */
export function exitCodeOfRun(
  summary: RunEnding,
  options: {
    readonly strict: boolean;
    readonly required: readonly (readonly string[])[];
    readonly failOnRegression?: boolean;
  },
): ExitCode {
  if (summary.run.interrupted) return exitCodes.interrupted;
  if (options.strict && !summary.verdict.fair) return exitCodes.notFair;
  const isAvailable = (target: string): boolean =>
    !summary.cells.some((cell) => cell.target === target && cell.status === 'unavailable');
  const failed =
    summary.cells.some(({ status }) => status === 'void') ||
    summary.faults?.some(hasFailed) === true ||
    options.required.some((targets) => !targets.some(isAvailable));
  const measured = summary.cells.some((cell) => cell.status === 'ok');
  if (failed || !measured) return exitCodes.void;
  const isSlower = summary.comparisons.some(
    ({ ratio, significant, belowNoiseFloor }) => significant && belowNoiseFloor !== true && ratio < 1,
  );
  return options.failOnRegression === true && isSlower ? exitCodes.regression : exitCodes.ok;
}
