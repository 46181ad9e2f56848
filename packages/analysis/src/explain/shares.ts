import { inverse, Matrix } from 'ml-matrix';
import { meanOf } from '@fair-bench/results';
import { independent, rowOf, type Term } from './model.ts';
import type { Combination } from './space.ts';

/**
 * The share of the variation over all combinations that goes without one term: η² with Type II sums of squares (a main
 * effect beside the other main effects, an interaction beside all other terms). Where factors cannot vary freely the shares do
 * not add up to 1: what two of them explain alike belongs to neither.
 * @param values the logarithm of throughput of each combination, measured or as the model has it.
 */
export function sharesOf(
  values: ReadonlyMap<Combination, number>,
  terms: readonly Term[],
): (term: Term) => number {
  const mean = meanOf([...values.values()]);
  const total = [...values.values()].reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const mains = terms.filter(({ length }) => length < 2);
  return (term) => {
    if (total === 0) return 0;
    const beside = term.length < 2 ? mains : terms;
    const without = beside.filter((one) => one.join() !== term.join());
    const lost = leftOver(values, without) - leftOver(values, beside);
    return Math.min(1, Math.max(0, lost / total));
  };
}

/** The sum of squares that these terms leave unexplained. */
function leftOver(values: ReadonlyMap<Combination, number>, terms: readonly Term[]): number {
  const masks = [...values.keys()];
  const kept = independent(terms, masks);
  const design = new Matrix(masks.map((mask) => rowOf(mask, kept)));
  const wanted = Matrix.columnVector([...values.values()]);
  const effects = inverse(design.transpose().mmul(design)).mmul(design.transpose()).mmul(wanted);
  return Matrix.sub(wanted, design.mmul(effects))
    .to1DArray()
    .reduce((sum, one) => sum + one * one, 0);
}
