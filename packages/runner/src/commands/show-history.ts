import { resolve } from 'node:path';
import { badOption, InputError, messageOf } from '@fair-bench/contract';
import { historyOf } from '@fair-bench/analysis';
import { renderHistory, terminalOptions } from '@fair-bench/report';
import { readRunIndex, writeWhole } from '@fair-bench/results';
import type { ReportFormat } from '../options/command-line.ts';
import { suggestion } from '../options/nearest.ts';

/**
 * A target's throughput over the runs in `results` on one machine, as text, or as an HTML file whose path is
 * returned. Rejects with an InputError if no run measured it, or if the file cannot be written.
 */
export async function showHistory(
  results: string,
  target: string,
  format: ReportFormat,
  width = terminalOptions(process.stdout, false).width,
): Promise<string> {
  const { runs, unreadable } = await readRunIndex(results);
  const history = historyOf(runs, target);
  if (history === null) {
    const known = [...new Set(runs.flatMap(({ cells }) => cells.map((cell) => cell.target)))].toSorted();
    const accepts = known.length === 0 ? 'nothing: there is no run yet' : known.join(', ');
    throw new InputError(
      `TARGET: got "${target}"; accepts a target that a run in ${results} measured: ${accepts}${suggestion(target, known)}`,
    );
  }
  const notes = unreadable.map((line) => `left out: ${line}\n`).join('');
  if (format.kind === 'text') return `${notes}${renderHistory(history, width)}`;
  const path = resolve(format.file ?? `${results}/history-${target}.html`);
  // Loaded only now: no other command draws charts.
  const { renderHistoryHtml } = await import('@fair-bench/report/html');
  await writeWhole(path, renderHistoryHtml(history)).catch((error: unknown) => {
    throw badOption('out', path, `a file that can be written: ${messageOf(error)}`, { cause: error });
  });
  return `${notes}${path}`;
}
