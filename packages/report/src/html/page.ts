import { hash } from 'node:crypto';
import type { RunSummary } from '@fair-bench/results';
import { answerOf } from '../answer.ts';
import { keyOf } from '../ranking.ts';
import { plural } from '../sections/format.ts';
import { type Content, html, list, Markup } from './markup.ts';
import { styles } from './styles.ts';

/** The page's only script: copies the numbers behind a chart, exact where available. */
const copyScript = `
document.addEventListener('click', async ({ target }) => {
  const button = target.closest('button[data-as]');
  if (button === null) return;
  const textOf = (cell) => cell.querySelector('data')?.value ?? cell.textContent.trim();
  const rows = [...button.closest('figure').querySelectorAll('tr')].map((row) => [...row.children].map(textOf));
  const quoted = (text) => (/[",\\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);
  const line = (texts) => '| ' + texts.map((text) => text.replaceAll('|', '\\\\|')).join(' | ') + ' |';
  const [head, ...body] = rows;
  const markdown = [line(head), line(head.map(() => '---')), ...body.map(line)];
  const csv = rows.map((row) => row.map(quoted).join(','));
  await navigator.clipboard.writeText((button.dataset.as === 'csv' ? csv : markdown).join('\\n'));
  button.textContent = 'Copied';
});
`;

/** The page's policy allows only this script. */
const copyScriptSource = `'sha256-${hash('sha256', copyScript, 'base64')}'`;

export interface Chapter {
  readonly id: string;
  readonly title: string;
  readonly content: Content;
}

/** The whole file. Its policy loads nothing and runs only the script that copies tables. */
export function page(summary: RunSummary, chapters: readonly Chapter[]): Markup {
  const { run } = summary;
  const [lead, ...folded] = chapters;
  const { cores, model } = run.environment.cpu;
  const title = [
    `Workload ${run.workload}`,
    `${run.mode} mode`,
    plural(run.rounds, 'round'),
    `${cores} cores of ${model}`,
    run.startedAt.slice(0, 10),
  ].join(', ');
  return shell(
    answerOf(summary).headline,
    html`<header>
        ${answerBox(summary)}
        <p class="sub">${title}. ${keyOf(summary)}</p>
      </header>
      <main>
        <div class="first">
          ${list(answerOf(summary).findings.slice(0, findingsMax(summary)), 'findings')}
          ${
            lead === undefined
              ? null
              : html`<section id="${lead.id}" class="lead">
                  <h2>${lead.title}</h2>
                  ${lead.content}
                </section>`
          }
        </div>
        ${folded.map(
          ({ id, title: name, content }) =>
            html`<details class="chapter" id="${id}">
              <summary><h2>${name}</h2></summary>
              ${content}
            </details> `,
        )}
      </main>
      <footer>
        Fair Bench. This page was made from the artifacts of ${run.id} alone; it loads nothing.
      </footer>`,
  );
}

/** A page around its body. */
export function shell(title: string, body: Markup): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'; script-src ${new Markup(copyScriptSource)}"
        />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <style>
          ${new Markup(styles)}
        </style>
      </head>
      <body>
        ${body} ${scriptElement}
      </body>
    </html> `;
}

// Outside of the template, whose formatting would change the bytes that the policy names.
const scriptElement = new Markup(`<script>${copyScript}</script>`);

/** The answer in a sentence, and its reasons. */
function answerBox(summary: RunSummary): Markup {
  const { tone, plain, headline, host, reasons } = answerOf(summary);
  return html`${plain === null ? null : html`<p class="plain">${plain}</p>`}
    <div class="answer ${tone}">
      <h1>${headline}</h1>
      ${host === null ? null : html`<p class="host">${host}</p>`} ${list(reasons)}
    </div>
    ${summary.run.interrupted ? html`<p class="alarm">INTERRUPTED: the run ended early.</p>` : null}`;
}

/** Three sentences; for an explanation, one for each factor, for a claim, one for each statement. */
function findingsMax({ explanation, claim }: RunSummary): number {
  return explanation === undefined && claim === undefined ? 3 : 12;
}
