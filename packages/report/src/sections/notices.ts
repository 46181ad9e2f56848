import { brokenByMachine } from '@fair-bench/analysis';
import { type CellSummary, type RunSummary, roundsForEachVoid, voidsBefore } from '@fair-bench/results';
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

/** Every void that was measured again, in cells with a number and without. */
export function voidsSection({ cells }: RunSummary): readonly Section[] {
  const lines = cells.flatMap((cell) => (cell.status === 'unavailable' ? [] : voidLines(cell)));
  if (lines.length === 0) return [];
  const rule =
    'A trial that is void only by what the machine alone can cause is measured again, and its number is never used. ' +
    `A cell with more such voids than one in ${roundsForEachVoid} rounds is void.`;
  return [{ title: 'Measured again', lines: [rule, ...lines], table: null }];
}

function voidLines({ id, trials }: Exclude<CellSummary, { status: 'unavailable' }>): readonly string[] {
  return trials.flatMap((trial) =>
    voidsBefore(trial).map(({ file, voidBy, reason }) => {
      const causes = voidBy.flatMap((code) => brokenByMachine.get(code) ?? []).join('; ');
      return `${id}, round ${trial.round + 1}, was void (${voidBy.join(', ')}): ${reason}. Possible cause: ${causes}. Kept in ${file}.`;
    }),
  );
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
    const { leftOut, reason, remedy } = cell;
    const word = leftOut === true ? 'left out' : 'unavailable';
    return { id: cell.target, text: `${word}: ${reason}. Remedy: ${remedy}` };
  }
  if (cell.status === 'void') return { id: cell.id, text: `void: ${cell.reason}` };
  const passed = cell.trials.flatMap((trial) => (trial.status === 'ok' ? [trial.tps] : []));
  const reached = passed.length === 0 ? '' : `, at ${passed.map(formatNumber).join(', ')} TPS`;
  return { id: cell.id, text: `interrupted: ${cell.reason}${reached}` };
}
