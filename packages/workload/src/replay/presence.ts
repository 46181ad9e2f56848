import type { Replayed } from './session-replay.ts';
import type { TableState } from './table-state.ts';

/** A row is missing until its insert and from its deletion on; each has happened between two moments. A key returns never. */

/** Whether some order has the row of this number (−1: that nobody inserted) missing when the operation happens. */
export function canBeMissing(state: TableState, row: number, replayed: Replayed): boolean {
  if (row === -1 || state.deleted?.mayBeBefore(row, replayed) === true) return true;
  const number = row - state.followed.table.rows;
  if (number < 0) return false;
  const { inserted } = state;
  if (inserted.isBy(number, replayed) || inserted.inDoubt(number)) return true;
  return replayed.sentUs <= inserted.settledUs(number);
}

/** Whether some order has it there. */
export function canBeThere(state: TableState, row: number, replayed: Replayed): boolean {
  if (row === -1 || state.deleted?.isBefore(row, replayed) === true) return false;
  const number = row - state.followed.table.rows;
  if (number < 0) return true;
  const { inserted } = state;
  if (inserted.isBy(number, replayed)) return false;
  return inserted.sentUs(number) <= replayed.settledUs;
}
