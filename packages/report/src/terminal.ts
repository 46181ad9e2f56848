import { styleText } from 'node:util';
import type { RunSummary } from '@fair-bench/results';
import { describeVerdict } from './sections/parity.ts';
import type { Section } from './sections/section.ts';
import { sectionsOf } from './parts.ts';
import { renderTable } from './terminal-table.ts';

export interface TerminalOptions {
  readonly color: boolean;
  /** Columns of the terminal. */
  readonly width: number;
}

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

/** The report as text for a terminal. The verdict opens and closes it. */
export function renderTerminal(summary: RunSummary, options: TerminalOptions): string {
  const paint: Paint = options.color
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_style, text) => text;
  const verdict = renderVerdict(summary, paint);
  const sections = sectionsOf(summary).map((section) => renderSection(section, options, paint));
  const reproduce = `${paint('bold', 'Again')}\n  ${summary.run.command}`;
  return `${[verdict, ...sections, reproduce, verdict].join('\n\n')}\n`;
}

function renderVerdict(summary: RunSummary, paint: Paint): string {
  const { headline, differences } = describeVerdict(summary);
  const style: Style = summary.verdict.fair ? ['bold', 'green'] : ['bold', 'inverse', 'red'];
  const interrupted = summary.run.interrupted
    ? [paint(['bold', 'yellow'], 'INTERRUPTED: the run ended early')]
    : [];
  return [paint(style, ` ${headline} `), ...differences.map((line) => `  ${line}`), ...interrupted].join(
    '\n',
  );
}

function renderSection({ title, lines, table }: Section, { width }: TerminalOptions, paint: Paint): string {
  const text = lines.map((line) => wrap(line, width));
  const drawn =
    table === null
      ? []
      : [
          renderTable(table, width, {
            head: (word) => paint('bold', word),
            cell: (word) => paintWord(word, paint),
          }),
        ];
  return [paint(['bold', 'underline'], title), ...text, ...drawn].join('\n');
}

const styleOfWord: ReadonlyMap<string, Style> = new Map<string, Style>([
  ['passed', 'green'],
  ['failed', 'red'],
  ['void', 'red'],
  ['interrupted', 'yellow'],
  ['unavailable', 'yellow'],
  ['NO', ['bold', 'red']],
  ['contender faster', 'green'],
  ['contender slower', 'red'],
]);

function paintWord(word: string, paint: Paint): string {
  const style = styleOfWord.get(word);
  return style === undefined ? word : paint(style, word);
}

/** Breaks a line between words; what follows the first line is indented. */
function wrap(line: string, width: number): string {
  const lines = [''];
  for (const word of line.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + 1 + word.length > width) lines.push(`  ${word}`);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.join('\n');
}
