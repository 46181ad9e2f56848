import { typedCommand } from '@fair-bench/contract';
import type { RunSummary, TrialRecord } from '@fair-bench/results';
import { evidenceOf } from './html/evidence.ts';
import { html, type Markup } from './html/markup.ts';
import { type Chapter, page } from './html/page.ts';
export { type Exhibit, headlineOverRuns, renderGallery } from './html/gallery.ts';
import { chaptersOf } from './parts.ts';

export { renderHistoryHtml } from './html/history.ts';

/**
 * The report as one HTML file that opens from disk and loads nothing; charts are drawn into it. Pure: the same bytes
 * for the same input. Latency curves and series come from the trials, every other number from the summary; trials of
 * cells without a number are ignored.
 */
export function renderHtml(summary: RunSummary, trials: readonly TrialRecord[]): string {
  const content = [...chaptersOf(evidenceOf(summary, trials)), { title: 'Again', content: again(summary) }];
  return page(summary, content.flatMap(chapter)).toString();
}

/** No chapter for empty content. The first chapter with content stays open: it is the answer. */
function chapter({ title, content }: Omit<Chapter, 'id'>): readonly Chapter[] {
  const isEmpty = content === null || (Array.isArray(content) && content.every((each) => each === null));
  return isEmpty ? [] : [{ id: title.toLowerCase().replaceAll(' ', '-'), title, content }];
}

function again({ run }: RunSummary): Markup {
  const { git, lockfileSha256 } = run.environment;
  const source = git === null ? [] : [`git checkout ${git.commit}`];
  const commands = [
    ...source,
    run.command,
    typedCommand('report', [run.id, '--html']),
    typedCommand('compare', [run.id, 'ANOTHER_RUN']),
  ];
  const lockfile = lockfileSha256 === null ? null : html`<p>Lockfile: ${lockfileSha256}</p>`;
  return html`<pre><code>${commands.join('\n')}</code></pre>
    ${lockfile}`;
}
