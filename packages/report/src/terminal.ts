import { styleText } from 'node:util';
import type { RunSummary } from '@fair-bench/results';
import { type Answer, answerOf } from './answer.ts';
import { rankingKeyOf, rankingsOf } from './ranking.ts';
import { sectionsOf } from './parts.ts';
import { faultsTable } from './sections/faults.ts';
import { soakTable } from './sections/soak.ts';
import { unmeasuredSection } from './sections/notices.ts';
import { type Section, type Table, toneOfWord } from './sections/section.ts';
import { renderTable } from './terminal-table.ts';

export interface TerminalOptions {
  readonly color: boolean;
  /** Columns of the terminal. */
  readonly width: number;
  /** All sections of the report, not only its first screen. */
  readonly verbose: boolean;
}

const widthWithoutTerminal = 100;
const widthOfAllSections = 160;

/** How to render for a stream: colours and the real width on a terminal, otherwise neither. */
export function terminalOptions(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'hasColors'>,
  verbose: boolean,
): TerminalOptions {
  if (stream.isTTY) return { color: stream.hasColors(), width: stream.columns, verbose };
  return { color: false, width: verbose ? widthOfAllSections : widthWithoutTerminal, verbose };
}

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

/** Limits of the first screen; the rest is in the report's files. */
const most = { reasons: 5, rows: 20, findings: 5, unmeasured: 4 };

/** The report as text for a terminal: the answer in at most 40 lines, or every section. */
export function renderTerminal(summary: RunSummary, options: TerminalOptions): string {
  const paint: Paint = options.color
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_style, text) => text;
  const answer = renderAnswer(summary, options, paint);
  if (!options.verbose) return `${answer}\n`;
  const sections = sectionsOf(summary).map((section) => renderSection(section, options, paint));
  const reproduce = `${paint('bold', 'Again')}\n  ${summary.run.command}`;
  // After pages of sections, the answer comes last, where the reader looks.
  return `${[answer, ...sections, reproduce, answer].join('\n\n')}\n`;
}

function renderAnswer(summary: RunSummary, options: TerminalOptions, paint: Paint): string {
  const { tone, plain, headline, host, reasons, findings } = answerOf(summary);
  const limit = options.verbose ? { reasons: Infinity, rows: 0, findings: 0, unmeasured: 0 } : most;
  const text = (line: string): string => wrap(line, options.width);
  const verdict = [
    ...(plain === null ? [] : [paint('bold', text(plain)), '']),
    paint(styleOfTone[tone], ` ${text(headline)} `),
    ...(host === null ? [] : [`  ${text(host)}`]),
    ...firstOf(reasons, limit.reasons, 'more: --verbose').map((line) => `  ${text(line)}`),
    ...(summary.run.interrupted ? [paint(['bold', 'yellow'], 'INTERRUPTED: the run ended early')] : []),
  ];
  const rankings = rankingsOf(summary);
  const rows = rankings.reduce((sum, { table }) => sum + table.rows.length, 0);
  // Each table keeps its fastest cells.
  const rowsEach = Math.floor(limit.rows / Math.max(1, rankings.length));
  const hidden = rankings.reduce((sum, { table }) => sum + Math.max(0, table.rows.length - rowsEach), 0);
  const ranking =
    rows === 0 || limit.rows === 0
      ? []
      : [
          ...rankings.flatMap(({ title, table }) => [
            ...(title === '' ? [] : [paint('bold', title)]),
            drawTable({ ...table, rows: table.rows.slice(0, rowsEach) }, options, paint),
          ]),
          text(rankingKeyOf(summary)),
          ...(hidden > 0 ? [`… and ${hidden} more rows: --verbose`] : []),
        ];
  const soak = soakTable(summary);
  const soaked =
    soak === null || limit.rows === 0 ? [] : [paint('bold', 'Soak'), drawTable(soak, options, paint)];
  const faults = faultsTable(summary);
  const faulted =
    faults === null || limit.rows === 0 ? [] : [paint('bold', 'Faults'), drawTable(faults, options, paint)];
  const unmeasured = unmeasuredSection(summary).flatMap(({ lines }) => lines);
  const missing = firstOf(unmeasured, limit.unmeasured, 'more not measured: --verbose').map(
    (line) => `Not measured: ${shortened(line, options.width - 'Not measured: '.length)}`,
  );
  const found = findings.slice(0, limit.findings).map((line) => text(`• ${line}`));
  // Slices follow each other on one server: an interval over them is no interval of rounds.
  const numbers = soak === null ? ranking : soaked;
  return [verdict, numbers, faulted, found, limit.unmeasured === 0 ? [] : missing]
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n');
}

const styleOfTone: Readonly<Record<Answer['tone'], Style>> = {
  good: ['bold', 'green'],
  bad: ['bold', 'inverse', 'red'],
  neutral: 'bold',
};

function firstOf(lines: readonly string[], limit: number, rest: string): readonly string[] {
  if (lines.length <= limit) return lines;
  return [...lines.slice(0, limit), `${lines.length - limit} ${rest}`];
}

function shortened(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}

/** One section as text. */
export function renderSection(
  { title, lines, table }: Section,
  options: TerminalOptions,
  paint: Paint = (_style, text) => text,
): string {
  const text = lines.map((line) => wrap(line, options.width));
  const drawn = table === null ? [] : [drawTable(table, options, paint)];
  return [paint(['bold', 'underline'], title), ...text, ...drawn].join('\n');
}

function drawTable(table: Table, { width }: TerminalOptions, paint: Paint): string {
  return renderTable(table, width, {
    head: (word) => paint('bold', word),
    cell: (word) => paintWord(word, paint),
  });
}

const styleOfWord = { good: 'green', bad: 'red', dim: 'yellow' } as const;

function paintWord(word: string, paint: Paint): string {
  const tone = toneOfWord.get(word);
  return tone === undefined ? word : paint(styleOfWord[tone], word);
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
