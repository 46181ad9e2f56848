import { describeDisturbance } from '@fair-bench/analysis';
import {
  faultsShareMaxDefault,
  inDoubtShareMaxDefault,
  type RunSummary,
  voidsBefore,
} from '@fair-bench/results';
import { findingsOf } from './findings.ts';
import { plainAnswer } from './ranking.ts';
import { type BestPoint, bestPointsOf, describeBestPoint } from './sections/best-points.ts';
import { becauseLines, otherVerdicts, tallySentence, verdictSentence } from './sections/claim.ts';
import { architectureSentences, describeModel, factorSentences } from './sections/explanation.ts';
import { endsInShort, formatNumber, plural, ratioText } from './sections/format.ts';
import { losses } from './sections/faults.ts';
import { soakFindings } from './sections/soak.ts';
import { isolationFindings } from './sections/isolation.ts';
import { operationFindings } from './sections/operations.ts';
import { remoteRoundTrips } from './sections/results.ts';

/** The first screen of every output: what a reader sees in ten seconds. */
export interface Answer {
  readonly tone: 'good' | 'bad' | 'neutral';
  /** What came out, in one plain sentence; null where the headline says it. */
  readonly plain: string | null;
  /** The verdict in one sentence. */
  readonly headline: string;
  /** How quiet the machine was, in one line; null without a number. */
  readonly host: string | null;
  /** The reasons for the headline: broken rules, the claim's verdict. */
  readonly reasons: readonly string[];
  /** What the numbers say, the most important first. */
  readonly findings: readonly string[];
}

/** Sentences made from the numbers of the summary; nothing is measured or judged here. */
export function answerOf(summary: RunSummary): Answer {
  const answer = answerOfMode(summary);
  const host = describeDisturbance(summary.disturbance);
  const findings = [
    ...losses(summary.faults),
    ...soakFindings(summary.soak),
    ...operationFindings(summary),
    ...isolationFindings(summary),
    ...answer.findings,
  ];
  return {
    ...answer,
    plain: answer.plain ?? null,
    host,
    reasons: [...voidsLine(summary), ...answer.reasons],
    findings,
  };
}

/** First, so that no limit of a terminal hides it. */
function voidsLine({ cells, run: { voidsMeasuredAgain: voids = 0 } }: RunSummary): readonly string[] {
  if (voids === 0) return [];
  const named = cells.filter(
    (cell) => cell.status !== 'unavailable' && cell.trials.some((trial) => voidsBefore(trial).length > 0),
  );
  return [
    `${plural(voids, 'void trial')} measured again, in ${named.map(({ id }) => id).join(', ')}: see “Measured again” in the report`,
  ];
}

type ModeAnswer = Omit<Answer, 'host' | 'plain'> & Partial<Pick<Answer, 'plain'>>;

function answerOfMode(summary: RunSummary): ModeAnswer {
  if (summary.claim !== undefined) return claimAnswer(summary, summary.claim);
  if (summary.run.mode === 'explain') return explanationAnswer(summary);
  const { verdict } = summary;
  const measured = summary.cells.filter(({ status }) => status === 'ok');
  const targets = new Set(measured.map(({ target }) => target)).size;
  const best = bestPointsOf(summary);
  if (targets === 0 && best.length > 0) return searchAnswer(summary, best);
  const unseen = durabilityUnseen(summary);
  const accepted = acceptedMore(summary.run);
  const isWhole = !verdict.disturbed && verdict.trials?.void === 0 && unseen === '' && accepted === '';
  return {
    // What stands against the numbers comes with the verdict, which is then first.
    ...(unseen === '' && accepted === '' ? { plain: plainAnswer(summary) } : {}),
    tone: verdict.fair ? (isWhole ? 'good' : 'neutral') : 'bad',
    headline:
      targets === 0 ? 'No target was measured' : `${headlineOf(verdict, targets)}${unseen}${accepted}`,
    reasons: [
      ...verdict.differences.map(({ rule, message }) => `${rule}: ${message}`),
      ...remoteRoundTrips(summary),
      ...(summary.run.notes ?? []),
    ],
    findings: [...best.map(describeBestPoint), ...findingsOf(summary.comparisons)],
  };
}

/** Names the measured targets that say that they are durable, but whose storage nobody here sees; empty without one. */
function durabilityUnseen({ durability, cells }: RunSummary): string {
  const measured = new Set(cells.flatMap(({ status, target }) => (status === 'ok' ? [target] : [])));
  const unseen = durability.filter(
    ({ target, basis }) =>
      measured.has(target) && basis.status === 'requested' && basis.isStorageUnknown === true,
  );
  if (unseen.length === 0) return '';
  return `; durability requested, not observed: ${unseen.map(({ target }) => target).join(', ')}`;
}

/** What a user accepted that voids a trial by default; empty where it is no more than that. */
function acceptedMore({ faultsShareMax, inDoubtShareMax }: RunSummary['run']): string {
  const shares = [
    ...(faultsShareMax > faultsShareMaxDefault ? [`${formatNumber(faultsShareMax * 100)} % of faults`] : []),
    ...(inDoubtShareMax > inDoubtShareMaxDefault
      ? [`${formatNumber(inDoubtShareMax * 100)} % of operations in doubt`]
      : []),
  ];
  return shares.length === 0 ? '' : `; up to ${shares.join(' and ')} accepted`;
}

/** The verdict, and what its trials came to: every audit passed, or how many trials are void. */
function headlineOf(verdict: RunSummary['verdict'], targets: number): string {
  const { fair, disturbed, trials } = verdict;
  const label = disturbed ? `${verdict.label}, disturbed` : verdict.label;
  const voids = trials === undefined ? 0 : trials.void;
  const ofTrials = trials === undefined ? '' : ` of ${plural(trials.audited, 'trial')} void`;
  if (!fair) {
    const broken = plural(brokenIn(verdict).length, 'rule');
    const subject = targets === 1 ? 'this target' : 'this comparison';
    return `${label}: ${subject} breaks ${broken}${voids === 0 ? '' : `; ${voids}${ofTrials}`}`;
  }
  const measured = `${label}: ${plural(targets, 'target')}`;
  if (voids > 0) return `${measured}; ${voids}${ofTrials}`;
  const terms = targets === 1 ? 'measured' : 'measured under the same rules';
  return `${measured} ${terms}${trials === undefined ? '' : ', and every audit passed'}`;
}

/** No system has a number of the rounds, which alone give results: the run ended before them, or they were void. */
function searchAnswer({ run, cells }: RunSummary, best: readonly BestPoint[]): ModeAnswer {
  const isVoid = cells.some(({ status }) => status === 'void');
  return {
    tone: 'neutral',
    headline: `Search only, not confirmed: the best points of ${plural(best.length, 'system')} so far`,
    reasons: [
      isVoid
        ? 'Every point was void in the rounds, which alone give results: the reasons are below.'
        : 'The run ended before its rounds, which alone give results.',
      `Continue: ${continuation(run)}`,
      ...(run.notes ?? []),
    ],
    findings: best.map(describeBestPoint),
  };
}

/** The command that goes on from what the search found. */
function continuation({ command, id }: RunSummary['run']): string {
  const given = command.replace(/ ?--continue[ =]\S+/, '').replace(/ --$/, '');
  // By npm, options follow `--`; by npx they do not.
  const hasOptions = given.includes(' -- ') || given.startsWith('npx ');
  return `${given}${hasOptions ? '' : ' --'} --continue ${id}`;
}

function claimAnswer(summary: RunSummary, claim: NonNullable<RunSummary['claim']>): ModeAnswer {
  const { statement, differs } = claim;
  return {
    tone: 'neutral',
    headline: verdictSentence(claim),
    reasons: [
      `“${statement}”`,
      [...becauseLines(claim), tallySentence(claim)].join(' '),
      ...(differs.length === 0 ? [] : [`Conditions: ${differs.join('; ')}.`]),
    ],
    findings: [...gapSentences(summary), ...otherVerdicts(claim)],
  };
}

/** The ends of an explanation differ on purpose: the rules they break are part of the answer, not a verdict. */
function explanationAnswer(summary: RunSummary): ModeAnswer {
  const { explanation, verdict } = summary;
  const rules = brokenIn(verdict);
  const broken =
    rules.length === 0 ? [] : [`The two ends differ on purpose in ${rules.join(', ')} (FAIR-BENCHMARK.md).`];
  if (explanation === undefined) {
    const headline = 'No explanation: one of the two ends has no number in this run';
    return { tone: 'bad', headline, reasons: broken, findings: [] };
  }
  const { from, to } = endsInShort(explanation);
  const headline = `${to} is ${ratioText(explanation)} as fast as ${from}`;
  return { tone: 'neutral', headline, reasons: broken, findings: gapSentences(summary) };
}

function brokenIn({ differences }: RunSummary['verdict']): readonly string[] {
  return [...new Set(differences.map(({ rule }) => rule))];
}

/** The step between the systems first, then one sentence for each factor. */
function gapSentences({ explanation }: RunSummary): readonly string[] {
  if (explanation === undefined) return [];
  const factors = factorSentences(explanation);
  return [
    ...architectureSentences(explanation),
    ...(factors.length === 0 ? describeModel(explanation) : factors),
  ];
}
