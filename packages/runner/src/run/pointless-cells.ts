import type { Cell, RunPlan, Study, UnavailableCell } from '@fair-bench/results';

/**
 * The cells between two ends of which one is unavailable: they would explain nothing, so they are not
 * measured. Empty where both ends are measurable, or no gap is explained.
 */
export function pointlessCells(
  { explain }: Study,
  { cells }: RunPlan,
  isMeasurable: (cell: Cell) => boolean,
): readonly UnavailableCell[] {
  if (explain === undefined) return [];
  const last = 2 ** explain.changes.length - 1;
  const ends = explain.cells.filter(({ mask }) => mask === 0 || mask === last);
  const lost = cells.filter((cell) => ends.some(({ cellId }) => cellId === cell.id) && !isMeasurable(cell));
  if (lost.length === 0) return [];
  const reason = `an end of the gap is unavailable: ${lost.map(({ id }) => id).join(', ')}`;
  return cells
    .filter(isMeasurable)
    .map(({ id }) => ({ cellId: id, reason, remedy: 'make both targets available and run again' }));
}
