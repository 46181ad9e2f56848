import type { CellSummary } from '@fair-bench/results';

const colors = 8;
const dashes = 3;

/**
 * The classes of a target's marks, by its place among all targets: a colour, and a dash for readers who cannot see
 * colours.
 */
export type StyleOf = (target: string) => string;

export function seriesStyles(cells: readonly Pick<CellSummary, 'target'>[]): StyleOf {
  const targets = [...new Set(cells.map(({ target }) => target))];
  return (target) => styleAt(Math.max(0, targets.indexOf(target)));
}

export function styleAt(index: number): string {
  return `c${index % colors} dash${(index + Math.floor(index / colors)) % dashes}`;
}
