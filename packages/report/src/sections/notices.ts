import type { CellSummary, RunSummary } from '@fair-bench/results';
import { formatNumber, plural } from './format.ts';
import type { Section } from './section.ts';

/** What was requested and has no mean, with the reason. */
export function unmeasuredSection({ cells }: RunSummary): readonly Section[] {
  const reasons = cells.flatMap((cell) => reasonFor(cell) ?? []);
  const lines = [...Map.groupBy(reasons, ({ text }) => text)].map(([text, same]) => {
    const ids = [...new Set(same.map(({ id }) => id))].join(', ');
    return `${ids}: ${text}`;
  });
  return lines.length === 0 ? [] : [{ title: 'Not measured', lines, table: null }];
}

/** Self-checks that failed without voiding a trial: one line per kind. */
export function warningsSection({ cells }: RunSummary): readonly Section[] {
  const warnings = cells.flatMap((cell) =>
    cell.status === 'unavailable' ? [] : cell.warnings.map((warning) => ({ ...warning, id: cell.id })),
  );
  const lines = [...Map.groupBy(warnings, ({ code, remedy }) => `${code} ${remedy}`).values()].map((same) => {
    const [first] = same;
    const ids = [...new Set(same.map(({ id }) => id))];
    const example = same.length === 1 ? '' : 'for example ';
    return `${first?.code} in ${plural(ids.length, 'cell')} (${ids.join(', ')}): ${example}${first?.message}. Remedy: ${first?.remedy}`;
  });
  return lines.length === 0 ? [] : [{ title: 'Warnings', lines, table: null }];
}

interface Reason {
  readonly id: string;
  readonly text: string;
}

function reasonFor(cell: CellSummary): Reason | null {
  if (cell.status === 'ok') return null;
  if (cell.status === 'unavailable') {
    return { id: cell.target, text: `unavailable: ${cell.reason}. Remedy: ${cell.remedy}` };
  }
  if (cell.status === 'void') return { id: cell.id, text: `void: ${cell.reason}` };
  const passed = cell.trials.flatMap((trial) => (trial.status === 'ok' ? [trial.tps] : []));
  const reached = passed.length === 0 ? '' : `, at ${passed.map(formatNumber).join(', ')} TPS`;
  return { id: cell.id, text: `interrupted: ${cell.reason}${reached}` };
}
