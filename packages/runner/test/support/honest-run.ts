import type { CellSummary } from '@fair-bench/results';
import { expect } from 'vitest';
import { readSummary, smallRun, startCommand } from './command.ts';
import { measured } from './measured.ts';

/** Two short trials of one honest target: both have a number. Returns their cell, and the operations that a flush covered. */
export async function honestRun(
  scratch: string,
  words: readonly string[],
): Promise<{ cell: CellSummary | undefined; perFlush: number }> {
  const { out, code, output } = await measured(scratch, (to) =>
    startCommand([...smallRun, ...words, '--trials', '2', '--out', to]),
  );
  expect(code, output).toBe(0);
  const { cells, verdict } = await readSummary(out);
  expect(verdict.trials).toEqual({ audited: 2, void: 0 });
  const [cell] = cells;
  return { cell, perFlush: cell?.status === 'ok' ? (cell.operationsPerFlush ?? 0) : 0 };
}
