import { holmAdjusted, meanOf, significanceLevel } from '@fair-bench/results';
import { type DirectContrast, directContrast, pValueOf } from './direct.ts';
import type { Measured } from './fit.ts';
import { systemSteps } from './space.ts';
import type { Combination } from './space.ts';

/** The step between the systems in one place that was measured on both sides. */
export interface MeasuredCorner {
  readonly before: Combination;
  readonly step: DirectContrast;
}

export interface MeasuredCorners {
  readonly corners: readonly MeasuredCorner[];
  /** Whether two of them differ significantly. */
  readonly differs: boolean;
  /** The mean over the corners, by the rounds that have all of them. */
  readonly mean: DirectContrast;
}

/** Every measured step between the systems, each by its own rounds; null where none was measured on both sides. */
export function measuredCorners(measured: Measured, architecture: number | null): MeasuredCorners | null {
  const steps = systemSteps([...measured.keys()], architecture);
  if (steps.length === 0) return null;
  const corners = steps.map(([before, after]) => ({
    before,
    step: directContrast(measured, differenceOf([[before, after, 1]])),
  }));
  const pairs = steps.flatMap((one, index) => steps.slice(index + 1).map((other) => [one, other] as const));
  const pValues = pairs.map(([[a, b], [c, d]]) =>
    pValueOf(
      directContrast(
        measured,
        differenceOf([
          [a, b, -1],
          [c, d, 1],
        ]),
      ),
    ),
  );
  const differs = holmAdjusted(pValues).some((p) => p !== null && p <= significanceLevel);
  const mean = directContrast(
    measured,
    differenceOf(steps.map(([before, after]) => [before, after, 1 / steps.length] as const)),
  );
  return { corners, differs, mean: { ...mean, mean: meanOf(corners.map(({ step }) => step.mean)) } };
}

function differenceOf(
  steps: readonly (readonly [Combination, Combination, number])[],
): ReadonlyMap<Combination, number> {
  return new Map(
    steps.flatMap(([before, after, share]) => [
      [before, -share],
      [after, share],
    ]),
  );
}
