import type { RunSummary } from '@fair-bench/results';
import { answerOf } from './answer.ts';
import { rankingKeyOf, rankingsOf } from './ranking.ts';
import type { Section, Table } from './sections/section.ts';
import { sectionsOf } from './parts.ts';

/** The report as Markdown (`report.md`): the same sections as in the terminal, and the command to repeat it. */
export function renderMarkdown(summary: RunSummary): string {
  const { run } = summary;
  const parts = [
    `# ${run.workload}, ${run.mode} mode, ${run.startedAt.slice(0, 10)}`,
    renderAnswer(summary),
    ...(run.interrupted ? ['> **INTERRUPTED**: the run ended early.'] : []),
    ...sectionsOf(summary).map(renderSection),
    `## Again\n\n\`\`\`sh\n${run.command}\n\`\`\``,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The first screen: the answer, then what the numbers say. */
function renderAnswer(summary: RunSummary): string {
  const { plain, headline, host, reasons, findings } = answerOf(summary);
  const lines = [...(host === null ? [] : [host]), ...reasons];
  const quoted = [`**${escape(headline)}**`, ...lines.map((line) => `- ${escape(line)}`)]
    .map((line, index) => (index === 1 ? `>\n> ${line}` : `> ${line}`))
    .join('\n');
  const listed = findings.map((line) => `- ${escape(line)}`).join('\n');
  const first = plain === null ? '' : `${escape(plain)}\n\n`;
  return `${first}${quoted}${listed === '' ? '' : `\n\n${listed}`}`;
}

function renderSection({ title, lines, table }: Section): string {
  const text =
    lines.length === 0
      ? []
      : [lines.length === 1 ? escape(lines[0] ?? '') : lines.map((line) => `- ${escape(line)}`).join('\n')];
  return [`## ${title}`, ...text, ...(table === null ? [] : [renderTable(table)])].join('\n\n');
}

/** The sorted table of a run's answer, as Markdown; empty without a number. */
export function answerTable(summary: RunSummary): string {
  const tables = rankingsOf(summary).map(
    ({ title, table }) => `${title === '' ? '' : `**${title}**\n\n`}${renderTable(table)}`,
  );
  return tables.length === 0 ? '' : `${tables.join('\n\n')}\n\n${rankingKeyOf(summary)}.`;
}

function renderTable({ columns, rows }: Table): string {
  const row = (texts: readonly string[]): string => `| ${texts.map(cellText).join(' | ')} |`;
  const rule = columns.map(({ align }) => (align === 'right' ? '--:' : ':--'));
  return [row(columns.map(({ head }) => head)), `| ${rule.join(' | ')} |`, ...rows.map(row)].join('\n');
}

function cellText(text: string): string {
  return escape(text).replaceAll('\n', '<br>');
}

/** Texts come from systems and users: they must not close a cell or become markup. */
function escape(text: string): string {
  return text.replaceAll(/[\\|<>*_`[\]]/g, (character) => `\\${character}`);
}
