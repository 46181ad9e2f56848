import Table from 'cli-table3';
import type { Figure } from '@fair-bench/results';

/** The figures as a table, with a note under each that was missed. */
export function renderFigures(figures: readonly Figure[]): string {
  const table = new Table({
    head: ['figure', 'value', 'unit', 'goal', 'met'],
    style: { head: [], border: [] },
  });
  for (const { name, value, unit, goal, met } of figures) {
    table.push([name, value === null ? '–' : String(value), unit, goal, met ? 'yes' : 'NO']);
  }
  const notes = figures.map(({ name, note }) => `  ${name}: ${note}`);
  return `${table.toString()}\n${notes.join('\n')}`;
}
