import type { RunSummary } from '@fair-bench/results';
import { describeVerdict } from '../sections/parity.ts';
import { type Content, html, Markup } from './markup.ts';
import { styles } from './styles.ts';

export interface Chapter {
  readonly id: string;
  readonly title: string;
  readonly content: Content;
}

/** The whole file. It has no script, and its policy lets it ask nobody for anything. */
export function page(summary: RunSummary, chapters: readonly Chapter[]): Markup {
  const { run } = summary;
  const title = `${run.workload}, ${run.mode} mode, ${run.startedAt.slice(0, 10)}`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="color-scheme" content="light dark" />
        <title>${`${summary.verdict.label}: ${title}`}</title>
        <style>
          ${new Markup(styles)}
        </style>
      </head>
      <body>
        <header>
          <h1>${title}</h1>
          <p class="sub">${run.id}</p>
          ${verdictBox(summary)}
          <nav aria-label="Contents">
            <ul>
              ${chapters.map(({ id, title: name }) => html`<li><a href="#${id}">${name}</a></li>`)}
            </ul>
          </nav>
        </header>
        <main>
          ${chapters.map(
            ({ id, title: name, content }) =>
              html`<section aria-labelledby="${id}">
                <h2 id="${id}">${name}</h2>
                ${content}
              </section> `,
          )}
        </main>
        <footer>
          Fair Bench. This page was made from the artifacts of ${run.id} alone; it loads nothing.
        </footer>
      </body>
    </html> `;
}

function verdictBox(summary: RunSummary): Markup {
  const { headline, differences } = describeVerdict(summary);
  const kind = summary.verdict.fair ? 'verdict' : 'verdict unfair';
  return html`<div class="${kind}">
      <strong>${headline}</strong>${
        differences.length === 0
          ? null
          : html`<ul>
              ${differences.map((line) => html`<li>${line}</li>`)}
            </ul>`
      }
    </div>
    ${summary.run.interrupted ? html`<p class="alarm">INTERRUPTED: the run ended early.</p>` : null}`;
}
