import type { RunSummary } from '@fair-bench/results';
import { formatNumber, ratioText } from '../../sections/format.ts';
import { dataTable, exact, exactEnds } from '../figure.ts';
import { type Content, html, list, type Markup } from '../markup.ts';

/** A published claim beside the measurement. */
export function claimPage({ claim }: RunSummary): Markup | null {
  if (claim === undefined) return null;
  const { measured, figures, breaks } = claim;
  const inWords = measured === null ? 'not measured' : ratioText(measured);
  return html`<blockquote>${claim.statement}</blockquote>
    <dl>
      <dt>Source</dt>
      <dd>${linked(claim.source)}, ${claim.date}</dd>
      <dt>Claimed</dt>
      <dd>${formatNumber(claim.claimedRatio)} ×</dd>
      <dt>Measured here</dt>
      <dd>${inWords}</dd>
      <dt>Verdict</dt>
      <dd><strong>${claim.verdict}</strong>: ${claim.because}</dd>
    </dl>
    ${
      breaks.length === 0
        ? html`<p>Its settings break no fairness rule.</p>`
        : html`<p>Rules of FAIR-BENCHMARK.md that its own settings break:</p>
            ${list(breaks.map(({ rule, why }) => `${rule}: ${why}`))}`
    }
    ${dataTable('Published figures beside ours', {
      heads: ['figure', 'claimed TPS', 'in the source', 'measured TPS', '95 % low', '95 % high', 'note'],
      rows: figures.map(({ label, claimedTps, where, measuredTps, ci95, note }) => [
        label,
        exact(claimedTps),
        where ?? '',
        exact(measuredTps),
        ...exactEnds(ci95),
        note,
      ]),
    })}`;
}

/** Only web addresses become links: the page follows no other scheme. */
export function linked(source: string): Content {
  const isWeb = source.startsWith('https://') && URL.canParse(source);
  return isWeb ? html`<a href="${source}" rel="noreferrer">${source}</a>` : source;
}
