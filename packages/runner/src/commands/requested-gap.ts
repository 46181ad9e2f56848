import {
  type AxisSetting,
  type Claim,
  type ClaimDesign,
  type ExplainDesign,
  settingsOf,
} from '@fair-bench/results';
import { figureReadings, figureTarget, type FigureTarget } from '../claims/figure-target.ts';
import { loadClaim } from '../claims/load.ts';
import type { FoundConnector } from '../discover/workspace.ts';
import { type GivenEnd, parseEnd, type PossibleEnd } from '../explain/endpoint.ts';
import { badOption, type InputError, typedCommand } from '@fair-bench/contract';
import type { ExplainOptions } from '../options/run-options.ts';

/** The two requested ends, and their claim. */
export interface RequestedGap {
  readonly from: GivenEnd;
  readonly to: GivenEnd;
  readonly claimed: ClaimedEnds | null;
}

interface ClaimedEnds {
  readonly claim: Claim;
  readonly from: ClaimedEnd;
  readonly to: ClaimedEnd;
}

type ClaimedEnd = FigureTarget & { readonly end: GivenEnd };

/**
 * The ends that the options name: by `--from` and `--to`, or of the claim's headline, its first statement whose figures
 * have a target. An end that no connector has is an InputError.
 */
export async function requestedGap(
  root: string,
  options: Pick<ExplainOptions, 'from' | 'to' | 'claim'>,
  targets: readonly PossibleEnd[],
  axes: readonly AxisSetting[],
): Promise<RequestedGap> {
  const { from = '', to = '', claim } = options;
  const connectors = [...new Set(targets.map(({ connector }) => connector))];
  if (claim !== undefined) return claimedGap({ claim: await loadClaim(root, claim), connectors, axes });
  const table = settingsOf(connectors, axes);
  return {
    from: parseEnd('from', from, targets, table),
    to: parseEnd('to', to, targets, table),
    claimed: null,
  };
}

/** Says which end is unavailable and why and, for a claim, which command measures what is available of it. */
export function unavailableEnd(
  { from, to, claimed }: RequestedGap,
  ofFrom: string | null,
  ofTo: string | null,
): InputError {
  const reasons = [...new Set([ofFrom, ofTo].filter((reason) => reason !== null))].join('; ');
  if (claimed === null) {
    const { option, text } = ofFrom === null ? to : from;
    return badOption(option, text, `an end that is available here; ${reasons}`);
  }
  const { name } = claimed.claim;
  const others = `${typedCommand('bench', ['--mode', 'published', '--claim', name])} judges the statements whose targets are available`;
  return badOption('claim', name, `a claim whose ends are both available here; ${reasons}; ${others}`);
}

/** What the run measures for the claim: the two ends of its gap. */
export function claimPart(
  { claimed }: RequestedGap,
  { cells }: ExplainDesign,
): { readonly claim?: ClaimDesign } {
  if (claimed === null) return {};
  const { claim, from, to } = claimed;
  const cellAt = (mask: number): string | null => cells.find((cell) => cell.mask === mask)?.cellId ?? null;
  const last = Math.max(...cells.map(({ mask }) => mask));
  const figures = [
    { id: from.id, reading: from.reading, cellId: cellAt(0), notes: [...from.notes] },
    { id: to.id, reading: to.reading, cellId: cellAt(last), notes: [...to.notes] },
  ];
  const others = claim.figures
    .flatMap((figure) => figureReadings(figure).map((reading) => ({ id: figure.id, reading })))
    .filter(({ id, reading }) => !figures.some((one) => one.id === id && one.reading === reading))
    .map((one) => {
      const isExplained = figures.some(({ id }) => id === one.id);
      const note = isExplained ? 'explained in another reading' : 'no end of the gap that was explained';
      return { ...one, cellId: null, notes: [`${note}; --mode published measures every figure`] };
    });
  return { claim: { claim, figures: [...figures, ...others] } };
}

interface ClaimedGap {
  readonly claim: Claim;
  readonly connectors: readonly FoundConnector[];
  readonly axes: readonly AxisSetting[];
}

function claimedGap({ claim, connectors, axes }: ClaimedGap): RequestedGap {
  const reasons: string[] = [];
  for (const { from, to, statement } of claim.statements) {
    const endAt = (id: string) => claimedEnd({ claim, connectors, axes }, id);
    const ends = [endAt(from), endAt(to)];
    const [first, second] = ends.filter((one) => typeof one !== 'string');
    if (first !== undefined && second !== undefined) {
      return { from: first.end, to: second.end, claimed: { claim, from: first, to: second } };
    }
    reasons.push(`${statement}: ${ends.filter((one) => typeof one === 'string').join('; ')}`);
  }
  throw badOption('claim', claim.name, `a claim whose figures have targets here; ${reasons.join('; ')}`);
}

/** The target that measures one figure of the claim. A string is the reason why no target can. */
function claimedEnd({ claim, connectors, axes }: ClaimedGap, id: string): ClaimedEnd | string {
  const figure = claim.figures.find((one) => one.id === id);
  if (figure === undefined) return `no figure ${id}`;
  // Of several readings the first: published mode measures all of them.
  const [reading = null] = figureReadings(figure);
  const { end, ...target } = figureTarget(figure, reading, claim.workload, connectors, axes);
  if (end === null) return target.notes[0] ?? `${figure.label}: no target here corresponds to it`;
  return { ...target, end };
}
