import CliTable from 'cli-table3';
import type { Column, Table } from './sections/section.ts';

interface TableStyle {
  readonly head: (word: string) => string;
  /** Given each line of a cell's text. */
  readonly cell: (word: string) => string;
}

const plainStyle: TableStyle = { head: (word) => word, cell: (word) => word };

/** Without frames; a line under the head. */
const characters = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  right: '',
  'right-mid': '',
  mid: '─',
  'mid-mid': '──',
  middle: '  ',
};
const gap = characters.middle.length;

/**
 * A table that fits the width if possible: first unchanged; then with the columns of each group stacked; then with
 * the text of the widest columns wrapped. No column is ever left out.
 */
export function renderTable(table: Table, width: number, style = plainStyle): string {
  const fitting = totalWidth(columnWidths(table, /\n/)) <= width ? table : stacked(table);
  const drawn = new CliTable({
    head: fitting.columns.map(({ head }) => eachLine(head, style.head)),
    chars: characters,
    colAligns: fitting.columns.map(({ align }) => align),
    colWidths: [...fittedWidths(fitting, width)],
    wordWrap: true,
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
  });
  drawn.push(...fitting.rows.map((row) => row.map((text) => eachLine(text, style.cell))));
  // Pads cells to their widths, without spaces at the end of a line.
  return drawn.toString().replaceAll(/ +$/gm, '');
}

/** Narrows the widest column first, none below its longest word. */
function fittedWidths(table: Table, width: number): readonly number[] {
  const widths = [...columnWidths(table, /\n/)];
  const widthsMin = columnWidths(table, /\s+/);
  for (let excess = totalWidth(widths) - width; excess > 0; excess -= 1) {
    const spare = widths.map((columnWidth, index) =>
      columnWidth > (widthsMin[index] ?? 0) ? columnWidth : 0,
    );
    const widest = Math.max(...spare);
    if (widest === 0) return widths;
    widths[spare.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function columnWidths({ columns, rows }: Table, separator: RegExp): readonly number[] {
  return columns.map(({ head }, index) => {
    const texts = [head, ...rows.map((row) => row[index] ?? '')];
    return Math.max(...texts.flatMap((text) => text.split(separator).map((part) => part.length)));
  });
}

function totalWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1);
}

/** Neighbours of one group become one column, their texts one below the other. */
function stacked({ columns, rows }: Table): Table {
  const groups: { column: Column; indices: number[] }[] = [];
  for (const [index, column] of columns.entries()) {
    const group = groups.at(-1);
    if (group !== undefined && group.column.group === column.group) {
      group.indices.push(index);
      group.column = { ...group.column, head: `${group.column.head}\n${column.head}` };
    } else groups.push({ column, indices: [index] });
  }
  return {
    columns: groups.map(({ column }) => column),
    rows: rows.map((row) => groups.map(({ indices }) => indices.map((index) => row[index] ?? '').join('\n'))),
  };
}

function eachLine(text: string, paint: (word: string) => string): string {
  return text.split('\n').map(paint).join('\n');
}
