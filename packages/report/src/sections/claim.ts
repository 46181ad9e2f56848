import { claimMargins, supportWidthMax } from '@fair-bench/analysis';
import type { ClaimResult, RunSummary, StatementResult } from '@fair-bench/results';
import { absent, capitalized, formatNumber, formatRatio, plural, rangeText, ratioText } from './format.ts';
import { left, right, type Section, tableOf } from './section.ts';

type Figure = ClaimResult['figures'][number];

/** A published claim beside the measurement. */
export function claimSection({ claim }: RunSummary): readonly Section[] {
  if (claim === undefined) return [];
  const { statement, wording, source, date, verdict, breaks, statements, figures } = claim;
  return [
    {
      title: `${subjectOf(claim)}: ${verdict} in this run`,
      lines: [
        `${statement} (${source}; date: ${date}; in its words: ${wording}).`,
        `${verdictSentence(claim)}.`,
        ...becauseLines(claim),
        tallySentence(claim),
        ...claim.differs.map((text) => `${capitalized(text)}.`),
        howJudged,
      ],
      table: tableOf(statementColumns, statements),
    },
    {
      title: 'Rules that its own settings break',
      lines: breaks.length === 0 ? ['None that is known.'] : breaks.map(({ rule, why }) => `${rule}: ${why}`),
      table: null,
    },
    { title: 'Its figures beside ours', lines: [], table: tableOf(figureColumns, figures) },
  ];
}

const { low, high } = claimMargins;

/** The meaning of a verdict, for a reader who has not seen one. */
export const howJudged =
  `Judged by the whole 95 % interval of the measured ratio, between ${low} and ${high} of the claimed one. About: supported between the two, contradicted beyond either. ` +
  `At least: supported above ${low}, contradicted below it, exceeded above ${high}. At most: the mirror image. Otherwise undecided. ` +
  `An interval that reaches further than ${supportWidthMax} × to either side supports no bound. Corrected for all statements of the claim (Holm). ` +
  'The interval is of this run: another run or machine may differ by more.';

/**
 * One run's verdict in one sentence without its full stop, as one says it across a table: what is claimed, what is here, what that makes
 * of the claim, and the reading where the source leaves one open.
 */
export function verdictSentence(claim: ClaimResult): string {
  const { kind, claimedRatio, host, machine } = claim;
  const claimed = `Claimed ${kind} ${formatNumber(claimedRatio)} × on ${host}`;
  const [measured, others] = [headlinesOf(claim), headlinesOf(claim, false)];
  const here = `here, in this run on ${machine}`;
  if (measured.length === 0) return `${claimed}; ${here}: ${claim.verdict}`;
  const verdicts = measured.map(
    (one) => `${one.measured && ratioText(one.measured)}, ${one.verdict}${ifText(one)}`,
  );
  const rest = others.map((one) => `${one.verdict}${ifText(one)}`);
  return `${claimed}; ${here}: ${[...verdicts, ...rest].join('; ')}`;
}

/** A verdict is of a statement: a claim with several is not judged as a whole. */
function subjectOf({ name, statements }: ClaimResult): string {
  const count = statementCount(statements);
  return count === 1 ? `Claim ${name}` : `The first of ${count} statements of claim ${name}`;
}

/** One sentence for each other statement that has a number, decided ones first. */
export function otherVerdicts({ statement, statements }: ClaimResult): readonly string[] {
  const others = statements.filter((one) => one.statement !== statement && one.measured !== null);
  return others
    .toSorted((a, b) => Number(a.verdict === 'undecided') - Number(b.verdict === 'undecided'))
    .map(
      (one) =>
        `${capitalized(one.verdict)}${ifText(one)}: “${one.statement}”, claimed ${one.kind} ${formatNumber(one.claimedRatio)} ×, measured ${one.measured && ratioText(one.measured)}.`,
    );
}

function statementCount(statements: readonly StatementResult[]): number {
  return new Set(statements.map(({ statement }) => statement)).size;
}

/** The reason for each verdict of the headline. */
export function becauseLines(claim: ClaimResult): readonly string[] {
  const measured = headlinesOf(claim);
  if (measured.length < 2) return [`${capitalized(claim.because)}.`];
  return measured.map(({ reading, because }) => `If ${reading}: ${because}.`);
}

/** How many statements have which verdict. */
export function tallySentence({ statements }: Pick<ClaimResult, 'statements'>): string {
  const counts = [...Map.groupBy(statements, ({ verdict }) => verdict)];
  const texts = counts.map(([verdict, { length }]) => `${length} ${verdict}`).join(', ');
  const stated = statementCount(statements);
  const readings = stated === statements.length ? '' : `, ${statements.length} in all readings`;
  return `The claim has ${plural(stated, 'statement')}${readings}: ${texts}.`;
}

/** The claim's first statement in its readings: those with a number, or those without. */
function headlinesOf({ statement, statements }: ClaimResult, isMeasured = true): readonly StatementResult[] {
  return statements.filter((one) => one.statement === statement && (one.measured !== null) === isMeasured);
}

function ifText({ reading }: Pick<StatementResult, 'reading'>): string {
  return reading === null ? '' : ` if ${reading}`;
}

/** A figure's name with its reading. */
export function figureName({ label, reading }: Figure): string {
  return reading === null ? label : `${label}, if ${reading}`;
}

export const statementColumns = [
  left('statement', ({ statement }: StatementResult) => statement),
  left('if', ({ reading }: StatementResult) => reading ?? ''),
  right('claimed', ({ kind, claimedRatio }: StatementResult) => `${kind} ${formatRatio(claimedRatio)} ×`),
  right('measured', ({ measured }: StatementResult) =>
    measured === null ? absent : `${formatRatio(measured.ratio)} ×`,
  ),
  right('95 %', ({ measured }: StatementResult) => rangeText(measured?.ci95 ?? null)),
  left('verdict', ({ verdict }: StatementResult) => verdict),
  left('because', ({ because }: StatementResult) => because),
  left('in the source', ({ wording }: StatementResult) => wording),
];

const figureColumns = [
  left('figure', figureName),
  right('claimed TPS', ({ claimedTps }: Figure) => formatNumber(claimedTps)),
  left('in the source', ({ where }: Figure) => where ?? absent),
  right('TPS here', ({ measuredTps }: Figure) => (measuredTps === null ? absent : formatNumber(measuredTps))),
  right('95 %', ({ ci95 }: Figure) => rangeText(ci95, formatNumber)),
  left('note', ({ note }: Figure) => note),
];
