import {
  type ClaimStatement,
  type ClaimVerdict,
  type LogEstimate,
  type RatioEstimate,
  holmAdjusted,
  ratioEstimateOf,
  significanceLevel,
} from '@fair-bench/results';

/**
 * Shares of a claimed ratio between which another ratio is the same for a claim: another machine changes a ratio, and
 * "about 14 times" does not promise 14.0. They are each other's inverse, so that a claim can be read from either side.
 */
export const claimMargins = { low: 0.8, high: 1.25 } as const;
/** An interval that reaches further than this × to either side supports no bound. */
export const supportWidthMax = 1.5;

type Stated = Pick<ClaimStatement, 'kind' | 'claimedRatio'>;

/** A measured ratio beside the claimed one; the estimate is of the ratio's logarithm. */
interface TestedRatio extends Stated {
  readonly estimate: LogEstimate;
}

interface JudgedRatio {
  readonly verdict: Exclude<ClaimVerdict, 'not measured' | 'not measurable here'>;
  /** In words, without a full stop. */
  readonly because: string;
}

/** The whole interval must lie above `above` and below `below`; null where there is no such bound. */
interface Decision {
  readonly verdict: Exclude<JudgedRatio['verdict'], 'undecided'>;
  readonly above: number | null;
  readonly below: number | null;
}

/**
 * Judges the statements of one claim as one family (Holm), each by the test of its kind, with a one-sided test of 2.5 % at
 * each bound, so that a verdict agrees with the 95 % interval:
 * - *about*: supported by equivalence within the margins, by two one-sided tests (Schuirmann 1987), and contradicted
 *   beyond either of them;
 * - *at least*: supported by non-inferiority to the lower margin, contradicted below it, and exceeded above the upper one;
 * - *at most*: the mirror image.
 *
 * An estimate without an interval is undecided.
 */
export function judgeRatios(family: readonly TestedRatio[]): readonly JudgedRatio[] {
  const tested = family.map((one) => ({ ...one, likeliest: likeliestOf(decisionsOf(one), one.estimate) }));
  const adjusted = holmAdjusted(tested.map(({ likeliest }) => likeliest.pValue));
  const excesses = family.map((one) =>
    likeliestOf(
      [excessOf(one)].flatMap((each) => each ?? []),
      one.estimate,
    ),
  );
  const excessAdjusted = holmAdjusted(excesses.map(({ pValue }) => pValue));
  return tested.map(({ likeliest, ...one }, index): JudgedRatio => {
    const isDecided = (adjusted[index] ?? 1) <= significanceLevel;
    const { decision } = likeliest;
    const isWide =
      one.kind !== 'about' && decision?.verdict === 'supported' && widthOf(one.estimate) > supportWidthMax;
    if (decision === null || !isDecided || isWide) return undecided(one, isDecided);
    const excess =
      (excessAdjusted[index] ?? 1) <= significanceLevel ? (excesses[index]?.decision ?? null) : null;
    return decided(one, excess ?? decision);
  });
}

/** The bounds of a statement that its interval must exclude for a verdict. */
export function boundsOf({ kind, claimedRatio }: Stated): readonly number[] {
  const [low, high] = [claimedRatio * claimMargins.low, claimedRatio * claimMargins.high];
  if (kind === 'about') return [low, high];
  return kind === 'at least' ? [low] : [high];
}

function decisionsOf(stated: Stated): readonly Decision[] {
  const [low = 0, high = 0] = boundsOf({ ...stated, kind: 'about' });
  const more = { verdict: 'contradicted', above: high, below: null } as const;
  const less = { verdict: 'contradicted', above: null, below: low } as const;
  if (stated.kind === 'about') return [{ verdict: 'supported', above: low, below: high }, more, less];
  return stated.kind === 'at least'
    ? [{ verdict: 'supported', above: low, below: null }, less]
    : [{ verdict: 'supported', above: null, below: high }, more];
}

/** Beyond a bound in the direction of the claim; null for a claim that names no direction. */
function excessOf(stated: Stated): Decision | null {
  const [low = 0, high = 0] = boundsOf({ ...stated, kind: 'about' });
  if (stated.kind === 'about') return null;
  return stated.kind === 'at least'
    ? { verdict: 'exceeded', above: high, below: null }
    : { verdict: 'exceeded', above: null, below: low };
}

interface Likeliest {
  readonly decision: Decision | null;
  /** Two-sided, as Holm's procedure and the significance level expect it; null without an interval. */
  readonly pValue: number | null;
}

function likeliestOf(decisions: readonly Decision[], estimate: LogEstimate): Likeliest {
  const none: Likeliest = { decision: null, pValue: null };
  return decisions.reduce<Likeliest>((best, decision) => {
    const pValue = pValueOf(decision, estimate);
    return pValue !== null && pValue < (best.pValue ?? Infinity) ? { decision, pValue } : best;
  }, none);
}

/** Intersection–union: the larger p value of its bounds. */
function pValueOf({ above, below }: Decision, estimate: LogEstimate): number | null {
  const sides = [
    ...(above === null ? [] : [oneSided(ratioEstimateOf(estimate, above), (ratio) => ratio > above)]),
    ...(below === null ? [] : [oneSided(ratioEstimateOf(estimate, below), (ratio) => ratio < below)]),
  ];
  const known = sides.flatMap((pValue) => pValue ?? []);
  return known.length < sides.length ? null : 2 * Math.max(...known);
}

function oneSided({ pValue, ratio }: RatioEstimate, isBeyond: (ratio: number) => boolean): number | null {
  if (pValue === null) return null;
  return isBeyond(ratio) ? pValue / 2 : 1 - pValue / 2;
}

/** How many times the interval reaches to either side; infinite without one. */
function widthOf(estimate: LogEstimate): number {
  const { ratio, ci95 } = ratioEstimateOf(estimate);
  return ci95 === null ? Infinity : ci95[1] / ratio;
}

function decided(stated: Stated, { verdict, above, below }: Decision): JudgedRatio {
  const named = (bound: number): string => boundText(bound, stated);
  const place = [
    ...(above === null ? [] : [`above ${named(above)}`]),
    ...(below === null ? [] : [`below ${named(below)}`]),
  ].join(' and ');
  const side = above === null ? 'less' : 'more';
  const meaning = {
    supported: '',
    exceeded: `: the claim holds, and ${side} was measured than it says`,
    contradicted: `: ${side} was measured than claimed`,
  };
  return { verdict, because: `the whole interval is ${place}${meaning[verdict]}` };
}

function undecided({ estimate, ...stated }: TestedRatio, isDecided: boolean): JudgedRatio {
  const { ci95 } = ratioEstimateOf(estimate);
  const included = boundsOf(stated).filter((bound) => ci95 !== null && ci95[0] <= bound && bound <= ci95[1]);
  const because = ((): string => {
    if (ci95 === null) return 'one round has no interval';
    if (isDecided)
      return `its interval reaches ${show(widthOf(estimate))} × to either side, and more than ${supportWidthMax} × supports nothing`;
    if (included.length === 0) return "not significant among the claim's statements (Holm)";
    return `its interval includes ${included.map((bound) => boundText(bound, stated)).join(' and ')}`;
  })();
  return { verdict: 'undecided', because };
}

function boundText(bound: number, { claimedRatio }: Stated): string {
  return `${show(bound)} × (${show(bound / claimedRatio)} of the claim)`;
}

function show(ratio: number): string {
  return String(Number(ratio.toPrecision(3)));
}
