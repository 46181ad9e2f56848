import { inverse, Matrix } from 'ml-matrix';
import { byChanges, independent, rowOf, type Term } from './model.ts';
import type { Combination } from './space.ts';

/** What is added to each term's information, so that a design with fewer cells than terms has a determinant. */
const ridge = 1e-4;
const exchangesMax = 3;

/** Cells beyond those that the terms need, by which the lack of fit is tested. */
const spareCells = 2;

/**
 * A fraction of the combinations that tells all terms of a model apart, and tests its fit; null where that needs all.
 * @param always combinations that every choice contains.
 */
export function chooseFraction(
  masks: readonly Combination[],
  terms: readonly Term[],
  always: ReadonlySet<Combination>,
): ReadonlySet<Combination> | null {
  const missing = terms.length - independent(terms, [...always]).length;
  const count = Math.max(terms.length, always.size + missing) + spareCells;
  return count >= masks.length ? null : chooseDOptimal(masks, terms, always, count);
}

/**
 * So many combinations that tell the terms of a model best apart: those with the largest determinant of information that a
 * greedy choice and exchanges find (D-optimal; Fedorov 1972, ch. 3). It depends on no seed.
 * @param count at least as many as `always`, at most all.
 */
function chooseDOptimal(
  masks: readonly Combination[],
  terms: readonly Term[],
  always: ReadonlySet<Combination>,
  count: number,
): ReadonlySet<Combination> {
  const candidates = byChanges(masks);
  const rows = new Matrix(candidates.map((mask) => rowOf(mask, terms)));
  const chosen = new Set(always);
  const add = (): Combination | null => {
    const best = farthest(candidates, rows, chosen);
    if (best !== null) chosen.add(best);
    return best;
  };
  while (chosen.size < count && add() !== null);
  for (let pass = 0; pass < exchangesMax; pass += 1) {
    let moved = 0;
    for (const mask of [...chosen].filter((one) => !always.has(one))) {
      chosen.delete(mask);
      if (add() !== mask) moved += 1;
    }
    if (moved === 0) break;
  }
  return chosen;
}

/** The combination whose value the chosen ones predict worst: it raises the determinant most. */
function farthest(
  candidates: readonly Combination[],
  rows: Matrix,
  chosen: ReadonlySet<Combination>,
): Combination | null {
  const known = rows.selection(
    candidates.flatMap((mask, row) => (chosen.has(mask) ? [row] : [])),
    Array.from({ length: rows.columns }, (_, column) => column),
  );
  const information = known.transpose().mmul(known).add(Matrix.eye(rows.columns).mul(ridge));
  const variances = Matrix.mul(rows.mmul(inverse(information)), rows);
  let best: { readonly mask: Combination; readonly gain: number } | null = null;
  for (const [row, mask] of candidates.entries()) {
    if (chosen.has(mask)) continue;
    const gain = variances.getRowVector(row).sum();
    if (best === null || gain > best.gain * (1 + 1e-9)) best = { mask, gain };
  }
  return best?.mask ?? null;
}
