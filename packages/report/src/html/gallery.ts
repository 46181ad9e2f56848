import { judgeRatios } from '@fair-bench/analysis';
import {
  type Claim,
  type ClaimStatement,
  type ClaimVerdict,
  type MeanOverRuns,
  type StatementResult,
  type StoredVerdict,
  lackingFor,
  meanOverRuns,
  ratioEstimateOf,
  readingsOf,
  settingText,
  sum,
} from '@fair-bench/results';
import { verdictSentence } from '../sections/claim.ts';
import { capitalized, formatNumber, formatRatio, plural } from '../sections/format.ts';
import { dataTable, exact, exactEnds } from './figure.ts';
import { type Content, html, list, type Markup } from './markup.ts';
import { shell } from './page.ts';
import { linked } from './sections/claim.ts';
import { waterfallFigure } from './sections/explanation.ts';

export interface Exhibit {
  readonly claim: Claim;
  /** One for each run, the earliest first; none for a claim that was not measured yet. */
  readonly verdicts: readonly StoredVerdict[];
}

/** Published claims beside their measurements: one HTML file that loads nothing. */
export function renderGallery(exhibits: readonly Exhibit[]): string {
  const measured = exhibits.filter(({ verdicts }) => verdicts.length > 0);
  const title = `Published performance claims: ${measured.length} of ${exhibits.length} measured`;
  const measuredFirst = [...measured, ...exhibits.filter(({ verdicts }) => verdicts.length === 0)];
  const stated = exhibits.map(({ claim }) => claim.statements.length);
  const numbered = exhibits.map(
    (exhibit) => new Set(ratiosOf(exhibit).map(({ statement }) => statement)).size,
  );
  const body = html`<header>
      <h1>${title}</h1>
      <p class="sub">
        Fair Bench measures each claim under its own settings, audits the work, and splits the gap into
        factors. Statements with a number: ${sum(numbered)} of ${sum(stated)}. A verdict is of one run on one
        machine; a mean over runs has the interval of Hartung, Knapp, Sidik and Jonkman, which covers what
        differs from run to run.
      </p>
    </header>
    <main>${measuredFirst.map(exhibitMarkup)}</main>
    <footer>Fair Bench. This page was made from claims/ alone; it loads nothing.</footer>`;
  return shell(title, body).toString();
}

/** What the mean over all stored runs says of a claim's headline, as a sentence; null for fewer than two runs. */
export function headlineOverRuns(exhibit: Exhibit): string | null {
  const [headline] = exhibit.claim.statements;
  const mean = ratiosOf(exhibit).find(({ statement, runs }) => runs > 1 && statement === headline?.statement);
  if (mean === undefined || mean.ci95 === null) return null;
  const [low, high] = mean.ci95.map(formatRatio);
  return `Claimed ${mean.claimed}; here ${formatRatio(mean.ratio)} × [${low}, ${high}]: ${mean.verdict}.`;
}

function exhibitMarkup(exhibit: Exhibit): Markup {
  const { claim, verdicts } = exhibit;
  const { name, statements, source, date, host, breaks, settings, leftOut = [], notes = [] } = claim;
  const [headline] = statements;
  const explained = verdicts.findLast(({ explanation }) => explanation !== undefined);
  return html`<section id="${name}" class="exhibit">
    <h2>${headline?.statement ?? name}</h2>
    <p class="sub">${linked(source)}, ${date}</p>
    <dl>
      <dt>Claimed</dt>
      <dd>
        ${headline?.kind ?? ''} ${formatNumber(headline?.claimedRatio ?? 1)} × on ${host}; in the source:
        ${headline?.wording ?? ''}
      </dd>
      <dt>Measured</dt>
      <dd>${measuredText(exhibit)}</dd>
      <dt>Where its settings come from</dt>
      <dd>${list(settings.map(settingLine)) ?? 'It has none.'}</dd>
      <dt>Left out</dt>
      <dd>${list(leftOut.map(({ figure, where, why }) => `${figure} (${where}): ${why}`)) ?? 'Nothing.'}</dd>
      <dt>Rules that its settings break</dt>
      <dd>${list(breaks.map(({ rule, why }) => `${rule}: ${why}`)) ?? 'None is known.'}</dd>
      <dt>Notes</dt>
      <dd>${list(notes) ?? 'None.'}</dd>
    </dl>
    ${verdicts.length === 0 ? null : ratiosTable(exhibit)}
    ${
      explained?.explanation === undefined
        ? null
        : html`<p>The gap of the run of ${dayOf(explained)}, split into factors:</p>
            <div class="charts">${waterfallFigure(explained.explanation, explained.claim.claimedRatio)}</div>`
    }
  </section>`;
}

/** What the source does not state is marked. */
function settingLine({ setting, values, targets, is, where }: Claim['settings'][number]): Content {
  const of = targets === undefined ? '' : ` of ${targets.join(', ')}`;
  const text = `${settingText(setting, values)}${of}`;
  return is === 'stated' ? `${text}, stated: ${where}` : html`<strong>${text}, ${is}</strong>: ${where}`;
}

function measuredText(exhibit: Exhibit): Content {
  const { claim, verdicts } = exhibit;
  if (claim.figures.every(({ target }) => target === null))
    return 'Not here: none of its figures has a target.';
  if (verdicts.length === 0)
    return html`Not yet: <code>npm run bench -- --mode published --claim ${claim.name}</code>`;
  const ratios = ratiosOf(exhibit);
  const all = claim.statements.flatMap((statement) => readingsOf(claim, statement));
  const count = new Set(ratios.map(({ statement }) => statement)).size;
  const pairs = new Set(ratios.map(({ statement, reading }) => `${statement} ${reading}`)).size;
  const readings =
    all.length === claim.statements.length ? '' : `, ${pairs} of ${all.length} with their readings`;
  return html`${count} of ${plural(claim.statements.length, 'statement')}${readings}, in
  ${plural(verdicts.length, 'run')}: ${list(verdicts.map(runMarkup))}`;
}

function runMarkup(stored: StoredVerdict): Markup {
  const { claim, run, warnings } = stored;
  const versions = Object.entries(run.versions).map(([system, version]) => `${system} ${version}`);
  const software = [
    ...versions,
    run.commit === null ? 'commit not on record' : `commit ${run.commit.slice(0, 12)}`,
  ];
  return html`${dayOf(stored)}: ${verdictSentence(claim)}.
    ${warnings.map((warning) => html`${warning} `)}${claim.differs.map((text) => html`${capitalized(text)}. `)}
    <br /><code>${run.command}</code> (${software.join(', ')})`;
}

/** A ratio of one run, or of the mean over the runs that have it. */
interface ShownRatio {
  readonly statement: string;
  readonly reading: string | null;
  readonly claimed: string;
  readonly from: string;
  readonly ratio: number;
  readonly ci95: readonly [number, number] | null;
  readonly verdict: string;
  /** How many runs it is the mean of; 1 for a run. */
  readonly runs: number;
}

function ratiosTable(exhibit: Exhibit): Markup {
  const shown = ratiosOf(exhibit);
  return dataTable('Each ratio by run', {
    heads: ['statement', 'if', 'claimed', 'run', 'measured', '95 % low', '95 % high', 'verdict'],
    rows: shown.map(({ statement, reading, claimed, from, ratio, ci95, verdict }) => [
      statement,
      reading ?? '',
      claimed,
      from,
      exact(ratio),
      ...exactEnds(ci95 === null ? null : [ci95[0], ci95[1]]),
      verdict,
    ]),
  });
}

/** Each statement that has a number, by reading, in the claim's order: its runs, then their mean. */
function ratiosOf({ claim, verdicts }: Exhibit): readonly ShownRatio[] {
  const isTooSmall = ({ run }: StoredVerdict, stated: ClaimStatement): boolean =>
    lackingFor(claim, stated, run.environment) !== null;
  const groups = claim.statements.flatMap((stated) =>
    readingsOf(claim, stated).map((reading) => {
      const own = verdicts.flatMap((stored) => {
        const result = stored.claim.statements.find(
          (one) => one.statement === stated.statement && one.reading === reading,
        );
        return result?.measured === undefined || result.measured === null ? [] : [{ stored, result }];
      });
      const large = own.filter(({ stored }) => !isTooSmall(stored, stated));
      return { stated, reading, own, mean: meanOf(large.map(({ result }) => result)), runs: large.length };
    }),
  );
  const withMean = groups.flatMap(({ stated, mean }) =>
    mean === null ? [] : [{ ...stated, estimate: mean }],
  );
  const judged = judgeRatios(withMean).values();
  return groups.flatMap(({ stated, reading, own, mean, runs }) => {
    const { statement, kind, claimedRatio } = stated;
    const said = { statement, reading, claimed: `${kind} ${formatRatio(claimedRatio)} ×` };
    const rows = own.map(({ stored, result }): ShownRatio => {
      const { ratio, ci95 } = result.measured ?? { ratio: 1, ci95: null };
      return {
        ...said,
        from: `${dayOf(stored)}, ${stored.claim.machine}`,
        ratio,
        ci95,
        verdict: isTooSmall(stored, stated) ? 'not measurable here' : inThisRun(result.verdict),
        runs: 1,
      };
    });
    if (mean === null) return rows;
    const { ratio, ci95 } = ratioEstimateOf(mean);
    const between = mean.between === 0 ? '' : `, which differ by × ${formatRatio(Math.exp(mean.between))}`;
    const from = `mean of ${runs} runs${between}`;
    const verdict = judged.next().value?.verdict ?? 'undecided';
    return [...rows, { ...said, from, ratio, ci95, verdict: `${verdict} over ${runs} runs`, runs }];
  });
}

/** Null for fewer than two runs with an interval. */
function meanOf(results: readonly StatementResult[]): MeanOverRuns | null {
  const known = results.flatMap(({ measured }) =>
    measured === null || measured.logError === null
      ? []
      : [{ mean: Math.log(measured.ratio), error: measured.logError }],
  );
  return known.length < 2 ? null : meanOverRuns(known);
}

function inThisRun(verdict: ClaimVerdict): string {
  return verdict === 'not measurable here' ? verdict : `${verdict} in this run`;
}

function dayOf({ run }: StoredVerdict): string {
  return run.startedAt.slice(0, 10);
}
