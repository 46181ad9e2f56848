import type { ClaimResult, RunSummary } from '@fair-bench/results';
import { becauseLines, figureName, howJudged, tallySentence, verdictSentence } from '../../sections/claim.ts';
import { dataTable, exact, exactEnds } from '../figure.ts';
import { type Content, html, list, type Markup } from '../markup.ts';

/** A published claim beside the measurement. */
export function claimPage({ claim }: RunSummary): Markup | null {
  if (claim === undefined) return null;
  const { figures, breaks } = claim;
  return html`<blockquote>${claim.statement}</blockquote>
    <dl>
      <dt>Source</dt>
      <dd>${linked(claim.source)}, ${claim.date}; in its words: ${claim.wording}</dd>
      <dt>Verdict</dt>
      <dd>${verdictSentence(claim)}.</dd>
      <dt>Because</dt>
      <dd>${becauseLines(claim).join(' ')} ${tallySentence(claim)}</dd>
      <dt>How this run differs</dt>
      <dd>${list(claim.differs) ?? 'In nothing that is known.'}</dd>
    </dl>
    <p>${howJudged}</p>
    ${
      breaks.length === 0
        ? html`<p>Its settings break no fairness rule.</p>`
        : html`<p>Rules of FAIR-BENCHMARK.md that its own settings break:</p>
            ${list(breaks.map(({ rule, why }) => `${rule}: ${why}`))}`
    }
    ${statementsTable('Statements of the claim', claim)}
    ${dataTable('Published figures beside ours', {
      heads: ['figure', 'claimed TPS', 'in the source', 'measured TPS', '95 % low', '95 % high', 'note'],
      rows: figures.map((figure) => [
        figureName(figure),
        exact(figure.claimedTps),
        figure.where,
        exact(figure.measuredTps),
        ...exactEnds(figure.ci95),
        figure.note,
      ]),
    })}`;
}

/** Every statement in each reading, with its verdict. */
function statementsTable(title: string, { statements }: Pick<ClaimResult, 'statements'>): Content {
  return dataTable(title, {
    heads: ['statement', 'if', 'says', 'claimed', 'measured', '95 % low', '95 % high', 'verdict', 'because'],
    rows: statements.map(({ statement, reading, kind, claimedRatio, measured, verdict, because }) => [
      statement,
      reading ?? '',
      kind,
      exact(claimedRatio),
      exact(measured?.ratio ?? null),
      ...exactEnds(measured?.ci95 ?? null),
      verdict,
      because,
    ]),
  });
}

/** Only web addresses become links: the page follows no other scheme. */
export function linked(source: string): Content {
  const isWeb = source.startsWith('https://') && URL.canParse(source);
  return isWeb ? html`<a href="${source}" rel="noreferrer">${source}</a>` : source;
}
