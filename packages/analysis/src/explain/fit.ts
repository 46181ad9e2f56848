import { inverse, Matrix } from 'ml-matrix';
import { fProbabilityAbove, type LogEstimate } from '@fair-bench/results';
import { rowOf, type Term, type Weights } from './model.ts';
import type { Combination } from './space.ts';

/** Logarithms of a cell's throughput, by round. */
export type Logs = ReadonlyMap<number, number>;

/** The measured combinations and their trials. */
export type Measured = ReadonlyMap<Combination, Logs>;

/** What the model leaves unexplained between cells, against what the rounds of a cell differ by. */
export interface LackOfFit {
  /** Mean square of the misfit ÷ mean square of the rounds. */
  readonly ratio: number;
  readonly degrees: readonly [number, number];
  readonly pValue: number;
}

export interface Fit {
  /** A contrast of combinations; also of such that were not measured, as the model has them. */
  estimate(weights: Weights): LogEstimate;
  /** Null where nothing is left to test it by. */
  readonly lackOfFit: LackOfFit | null;
}

/**
 * Fits terms + round to the trials by least squares. The error of a contrast is by the deviation of each cell's own rounds,
 * with degrees by Satterthwaite (1946), because targets are not equally noisy. Where the lack of fit is significant, the
 * misfit between cells is the error: the contrast is then an average, and its interval says how well the model holds.
 * @param terms what the measured cells tell apart; null for a mean of its own for each cell, which then must all be measured.
 */
export function fitTerms(measured: Measured, terms: readonly Term[] | null): Fit {
  const cells = [...measured.keys()];
  const own = cells.map((_, index) => cells.map((_other, place) => (place === index ? 1 : 0)));
  const pure = leastSquares(measured, own);
  const spread = spreadOf(measured, pure);
  const model =
    terms === null
      ? pure
      : leastSquares(
          measured,
          cells.map((mask) => rowOf(mask, terms)),
        );
  const lackOfFit = terms === null ? null : lackOf(model, pure);
  const misfit = lackOfFit !== null && lackOfFit.pValue < misfitLevel ? lackOfFit : null;
  const columns = (mask: Combination): readonly number[] => {
    if (terms !== null) return rowOf(mask, terms);
    const place = cells.indexOf(mask);
    if (place === -1) throw new RangeError(`explain: combination ${mask} was not measured`);
    return own[place] ?? [];
  };
  return {
    lackOfFit,
    estimate(weights) {
      const wanted = Array.from({ length: model.design.columns }, () => 0);
      for (const [mask, weight] of weights)
        for (const [place, value] of columns(mask).entries())
          wanted[place] = (wanted[place] ?? 0) + weight * value;
      return contrastOf(model, wanted, spread, misfit);
    },
  };
}

/** The level at which a misfit counts. */
const misfitLevel = 0.05;

interface LeastSquares {
  /** One row for each trial: the cell's columns, then all rounds but the first. */
  readonly design: Matrix;
  /** The design × the inverse of its normal matrix: what each trial counts in each effect. */
  readonly shares: Matrix;
  readonly values: Matrix;
  /** The cell of each row, by its place. */
  readonly cellOf: readonly number[];
  readonly residuals: readonly number[];
  readonly degrees: number;
  readonly squares: number;
}

function leastSquares(measured: Measured, columns: readonly (readonly number[])[]): LeastSquares {
  const rounds = [...new Set([...measured.values()].flatMap((logs) => [...logs.keys()]))].slice(1);
  const rows: number[][] = [];
  const logs: number[] = [];
  const cellOf: number[] = [];
  for (const [cell, ofCell] of [...measured.values()].entries()) {
    for (const [round, log] of ofCell) {
      rows.push([...(columns[cell] ?? []), ...rounds.map((one) => (one === round ? 1 : 0))]);
      logs.push(log);
      cellOf.push(cell);
    }
  }
  const design = new Matrix(rows);
  const values = Matrix.columnVector(logs);
  const shares = design.mmul(inverse(design.transpose().mmul(design)));
  const effects = shares.transpose().mmul(values);
  const residuals = Matrix.sub(values, design.mmul(effects)).to1DArray();
  const squares = residuals.reduce((sum, one) => sum + one * one, 0);
  return { design, shares, values, cellOf, residuals, squares, degrees: design.rows - design.columns };
}

/** A cell's variance, and the degrees of freedom that it is known by. */
interface Spread {
  readonly variance: number;
  readonly degrees: number;
}

/** The variance of each cell's own rounds; that of all cells for a cell with one round. */
function spreadOf(measured: Measured, { design, shares, residuals, cellOf, squares, degrees }: LeastSquares) {
  const leverages = Matrix.mul(shares, design);
  const pooled = { variance: degrees === 0 ? 0 : squares / degrees, degrees };
  return [...measured.keys()].map((_, cell): Spread => {
    const rows = cellOf.flatMap((one, row) => (one === cell ? [row] : []));
    const own = rows.reduce((sum, row) => sum + (residuals[row] ?? Number.NaN) ** 2, 0);
    const free = rows.length - rows.reduce((sum, row) => sum + leverages.getRowVector(row).sum(), 0);
    return free < 0.5 ? pooled : { variance: own / free, degrees: free };
  });
}

function lackOf(model: LeastSquares, pure: LeastSquares): LackOfFit | null {
  const degrees = [model.degrees - pure.degrees, pure.degrees] as const;
  if (degrees[0] <= 0 || degrees[1] <= 0 || pure.squares === 0) return null;
  const ratio = Math.max(0, model.squares - pure.squares) / degrees[0] / (pure.squares / pure.degrees);
  return { ratio, degrees, pValue: fProbabilityAbove(ratio, ...degrees) };
}

function contrastOf(
  { shares: effectShares, values, cellOf }: LeastSquares,
  wanted: readonly number[],
  spread: readonly Spread[],
  misfit: LackOfFit | null,
): LogEstimate {
  const shares = effectShares.mmul(Matrix.columnVector([...wanted])).to1DArray();
  const mean = shares.reduce((sum, share, row) => sum + share * values.get(row, 0), 0);
  const squares = new Map<number, number>();
  for (const [row, share] of shares.entries()) {
    const cell = cellOf[row] ?? -1;
    squares.set(cell, (squares.get(cell) ?? 0) + share * share);
  }
  let variance = 0;
  let denominator = 0;
  for (const [cell, square] of squares) {
    const own = spread[cell];
    if (own === undefined) throw new RangeError(`explain: cell ${cell} has no variance`);
    variance += square * own.variance;
    if (own.degrees > 0) denominator += (square * own.variance) ** 2 / own.degrees;
  }
  const degrees = denominator === 0 ? 0 : variance ** 2 / denominator;
  if (misfit === null) return { mean, error: Math.sqrt(variance), degrees };
  return {
    mean,
    error: Math.sqrt(variance * Math.max(1, misfit.ratio)),
    degrees: Math.min(degrees, misfit.degrees[0]),
  };
}
