import { type Claim, claimResultSchema, environmentSchema, explanationSchema } from '@fair-bench/results';
import { z } from 'zod';
import { formatNumber, ratioText } from '../sections/format.ts';
import { html, list, type Markup } from './markup.ts';
import { shell } from './page.ts';
import { waterfallFigure } from './sections/explanation.ts';
import { linked } from './sections/claim.ts';

/** `claims/verdicts/<claim>.json`: one run's verdict on a claim. */
export const storedVerdictSchema = z.object({
  claim: claimResultSchema,
  explanation: explanationSchema.optional(),
  run: z.object({
    id: z.string(),
    startedAt: z.iso.datetime(),
    command: z.string(),
    environment: environmentSchema.pick({ cpu: true, fileSystem: true }),
  }),
});
export type StoredVerdict = z.infer<typeof storedVerdictSchema>;

export interface Exhibit {
  readonly claim: Claim;
  /** Null for a claim that was not measured yet. */
  readonly verdict: StoredVerdict | null;
}

/** Published claims beside their measurements: one HTML file that loads nothing. */
export function renderGallery(exhibits: readonly Exhibit[]): string {
  const title = 'Published performance claims, measured';
  const measuredFirst = exhibits.toSorted((a, b) => Number(a.verdict === null) - Number(b.verdict === null));
  const body = html`<header>
      <h1>${title}</h1>
      <p class="sub">
        Fair Bench measures each claim under its own settings, audits the work, and splits the gap into
        factors.
      </p>
    </header>
    <main>${measuredFirst.map(exhibit)}</main>
    <footer>Fair Bench. This page was made from claims/ alone; it loads nothing.</footer>`;
  return shell(title, body).toString();
}

function exhibit({ claim, verdict }: Exhibit): Markup {
  const { name, statements, source, date, breaks } = claim;
  const [headline] = statements;
  return html`<section id="${name}" class="exhibit">
    <h2>${headline?.statement ?? name}</h2>
    <p class="sub">${linked(source)}, ${date}</p>
    <dl>
      <dt>Claimed</dt>
      <dd>${formatNumber(headline?.claimedRatio ?? 1)} ×</dd>
      ${verdictRows(verdict, name)}
      <dt>Rules that its settings break</dt>
      <dd>${list(breaks.map(({ rule, why }) => `${rule}: ${why}`)) ?? 'None is known.'}</dd>
    </dl>
    ${verdict?.explanation === undefined ? null : html`<div class="charts">${waterfallFigure(verdict.explanation, verdict.claim.claimedRatio)}</div>`}
  </section>`;
}

function verdictRows(verdict: StoredVerdict | null, name: string): Markup {
  if (verdict === null) {
    return html`<dt>Measured</dt>
      <dd>Not yet: <code>npm run bench -- --mode published --claim ${name}</code></dd>`;
  }
  const { claim, run } = verdict;
  const { measured } = claim;
  const ratio = measured === null ? 'not measured' : ratioText(measured);
  return html`<dt>Measured</dt>
    <dd>
      ${ratio}, ${run.startedAt.slice(0, 10)}, ${run.environment.cpu.cores} cores
      (${run.environment.cpu.model})
    </dd>
    <dt>Verdict</dt>
    <dd><strong>${claim.verdict}</strong>: ${claim.because}</dd>
    <dt>Command</dt>
    <dd><code>${run.command}</code></dd>`;
}
