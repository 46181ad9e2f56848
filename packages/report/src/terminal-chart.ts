import { formatNumber } from './sections/format.ts';

interface TerminalChart {
  /** One value per column or more, from the left. */
  readonly values: readonly number[];
  /** One per value, drawn as a line where the value is missing. */
  readonly levels: readonly number[];
  /** Values with a vertical line before them. */
  readonly marks: readonly number[];
  readonly width: number;
}

const rows = 9;
const columnWidthMax = 4;

/** Values as dots above their places, the largest at the top; if there is no room, the earliest are left out. */
export function renderChart({ values, levels, marks, width }: TerminalChart): string {
  const all = [...values, ...levels];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const labels = [high, (low + high) / 2, low].map(formatNumber);
  const margin = Math.max(...labels.map((text) => text.length));
  const room = Math.max(1, width - margin - 2);
  const first = Math.max(0, values.length - room);
  const step = Math.max(1, Math.min(columnWidthMax, Math.floor(room / (values.length - first))));
  const rowOf = (value: number): number =>
    high === low ? Math.floor(rows / 2) : Math.round(((high - value) / (high - low)) * (rows - 1));
  const lines = Array.from({ length: rows }, (_, row) => {
    const cells = values.slice(first).map((value, index) => {
      const level = rowOf(levels[first + index] ?? value) === row ? '─' : ' ';
      const mark = marks.includes(first + index) ? '│' : level;
      return rowOf(value) === row ? `${level.repeat(step - 1)}●` : mark + level.repeat(step - 1);
    });
    const label = labels[(row / (rows - 1)) * (labels.length - 1)] ?? '';
    return `${label.padStart(margin)} ┤${cells.join('')}`.trimEnd();
  });
  return lines.join('\n');
}
