import type { RunSummary, TrialRecord } from '@fair-bench/results';
import { comparisonsSection } from '../sections/comparisons.ts';
import { environmentSection, figuresSection } from '../sections/environment.ts';
import { unmeasuredSection, warningsSection } from '../sections/notices.ts';
import { optimizedComparisons, optimizedResults } from '../sections/optimized.ts';
import { paritySection } from '../sections/parity.ts';
import { profilesSection } from '../sections/profiles.ts';
import { resultsSection } from '../sections/results.ts';
import type { Section } from '../sections/section.ts';
import { evidenceOf } from './evidence.ts';
import { sectionTable } from './figure.ts';
import { type Content, html, type Markup } from './markup.ts';
import { type Chapter, page } from './page.ts';
import { claimSection } from './sections/claim.ts';
import { cpuFigures } from './sections/cpu.ts';
import { explanationSection } from './sections/explanation.ts';
import { latencyFigures } from './sections/latency.ts';
import { searchFigures } from './sections/search.ts';
import { seriesFigures } from './sections/series.ts';
import { sweepFigures } from './sections/sweeps.ts';
import { throughputFigures } from './sections/throughput.ts';

/**
 * The report as one HTML file that opens from disk and loads nothing: charts are drawn into it. Pure: the same
 * bytes for the same input. Latency curves and series come from the trials, every other number from the summary;
 * trials of cells without a number are not looked at.
 */
export function renderHtml(summary: RunSummary, trials: readonly TrialRecord[]): string {
  const evidence = evidenceOf(summary, trials);
  const { explanation, claim, run } = summary;
  const isOptimized = run.mode === 'optimized';
  const results = isOptimized ? optimizedResults(summary) : [resultsSection(summary)];
  const comparisons = isOptimized ? optimizedComparisons(summary) : comparisonsSection(summary);
  const chapters: readonly (Chapter | null)[] = [
    chapter('Parity', sections([...paritySection(summary), ...profilesSection(summary)])),
    chapter('Throughput', [charts(throughputFigures(evidence)), sections(results)]),
    chapter('Not measured', sections(unmeasuredSection(summary))),
    chapter('Comparisons', sections(comparisons)),
    chapter('Latency', charts(latencyFigures(evidence))),
    chapter('Seconds', seriesChapter(seriesFigures(evidence))),
    chapter('Explanation', explanation === undefined ? null : explanationSection(explanation)),
    chapter('Claim', claim === undefined ? null : claimSection(claim)),
    chapter('Search', charts(searchFigures(evidence))),
    chapter('Sweeps', charts(sweepFigures(evidence))),
    chapter('CPU', charts(cpuFigures(evidence))),
    chapter('Warnings', sections(warningsSection(summary))),
    chapter('Figures', sections(figuresSection(summary))),
    chapter('Environment', sections([environmentSection(summary)])),
    chapter('Again', again(summary)),
  ];
  return page(
    summary,
    chapters.filter((one) => one !== null),
  ).toString();
}

/** Null for a chapter that has nothing to say. */
function chapter(title: string, content: Content): Chapter | null {
  const isEmpty = content === null || (Array.isArray(content) && content.every((each) => each === null));
  return isEmpty ? null : { id: title.toLowerCase().replaceAll(' ', '-'), title, content };
}

function charts(figures: readonly Markup[]): Markup | null {
  return figures.length === 0 ? null : html`<div class="charts">${figures}</div>`;
}

/** The sections of the other outputs, in the same words. */
function sections(all: readonly Section[]): Markup | null {
  if (all.length === 0) return null;
  return html`${all.map(
    ({ title, lines, table }) =>
      html`${all.length === 1 ? null : html`<h3>${title}</h3>`}${
        lines.length > 1
          ? html`<ul>
              ${lines.map((line) => html`<li>${line}</li>`)}
            </ul>`
          : lines.map((line) => html`<p>${line}</p>`)
      }${table === null ? null : sectionTable(title, table)}`,
  )}`;
}

function seriesChapter(figures: readonly Markup[]): Content {
  if (figures.length === 0) return null;
  return [
    html`<p>Applied operations by second of each trial, warm-up included. Shaded: the timed window.</p>`,
    charts(figures),
  ];
}

function again({ run }: RunSummary): Markup {
  const { git, lockfileSha256 } = run.environment;
  const source = git === null ? [] : [`git checkout ${git.commit}`];
  const commands = [
    ...source,
    run.command,
    `npm run report -- ${run.id} --html`,
    `npm run compare -- ${run.id} ANOTHER_RUN`,
  ];
  const lockfile = lockfileSha256 === null ? null : html`<p>Lockfile: ${lockfileSha256}</p>`;
  return html`<pre><code>${commands.join('\n')}</code></pre>
    ${lockfile}`;
}
