import type { Comparison } from '@fair-bench/results';
import { axesOf, byCommits } from './sections/axes.ts';
import {
  absent,
  assumedMark,
  bracketed,
  formatRatio,
  inverseInterval,
  inverseOf,
  ratioText,
} from './sections/format.ts';

/** One sentence for each pair of targets, the pair with the clearest difference first. */
export function findingsOf(comparisons: readonly Comparison[]): readonly string[] {
  return byCommits(comparisons).flatMap(({ title, items }) => {
    const leads = items.map((comparison) => leadOf(comparison, items));
    const pairs = [...Map.groupBy(leads, ({ faster, slower }) => [faster, slower].toSorted().join(' '))];
    return pairs
      .map(([, pair]) => ({ clarity: Math.max(...pair.map(clarityOf)), sentence: markedSentence(pair) }))
      .toSorted((a, b) => b.clarity - a.clarity)
      .map(({ sentence }) => (title === '' ? sentence : `${title.slice(2)}: ${sentence}`));
  });
}

interface Lead {
  readonly faster: string;
  readonly slower: string;
  readonly ratio: number;
  readonly ci95: readonly [number, number] | null;
  /** With the deviation between runs. */
  readonly anyRun: Comparison['anyRun'];
  readonly isClear: boolean;
  readonly isDisturbed: boolean;
  readonly at: string;
}

/** Distance of the interval from 1, on the logarithm. */
function clarityOf({ isClear, ci95 }: Lead): number {
  return isClear && ci95 !== null ? Math.log(ci95[0]) : 0;
}

/** A comparison with the faster one first. */
function leadOf(comparison: Comparison, all: readonly Comparison[]): Lead {
  const { baseline, contender, significant, belowNoiseFloor, of, points, disturbed } = comparison;
  const named = (target: string, client: string | undefined): string =>
    of === 'clients' && client !== undefined ? `${target} with the ${client} client` : target;
  const [first, second] = [
    named(baseline, points?.baseline.client),
    named(contender, points?.contender.client),
  ];
  const { anyRun } = comparison;
  const rest = {
    isClear: significant && belowNoiseFloor !== true,
    isDisturbed: disturbed === true,
    at: of === 'best-points' ? 'each at its best point' : combinationOf(comparison, all),
  };
  return comparison.ratio >= 1
    ? { faster: second, slower: first, ratio: comparison.ratio, ci95: comparison.ci95, anyRun, ...rest }
    : {
        faster: first,
        slower: second,
        ...inverseOf(comparison),
        anyRun: anyRun && { ...anyRun, ci95: inverseInterval(anyRun.ci95) },
        ...rest,
      };
}

function combinationOf(one: Comparison, all: readonly Comparison[]): string {
  const alike = all.filter(({ of }) => of === one.of);
  const varies = axesOf(alike).filter(({ of }) => new Set(alike.map(of)).size > 1);
  return varies.map(({ name, of }) => `${name} ${of(one) ?? absent}`).join(', ');
}

function markedSentence(pair: readonly Lead[]): string {
  const sentence = pairSentence(pair);
  return pair.some(({ isDisturbed }) => isDisturbed) ? sentence.replace(/\.$/, ' (disturbed).') : sentence;
}

function pairSentence(pair: readonly Lead[]): string {
  const clear = pair.filter(({ isClear }) => isClear).toSorted((a, b) => clarityOf(b) - clarityOf(a));
  const [[any], [top]] = [pair, clear];
  if (any === undefined) return '';
  if (any.ci95 === null)
    return `${any.faster} measured ${ratioText(any)} ${any.slower} in one round, which has no interval.`;
  if (top === undefined) return `${any.faster} and ${any.slower} do not differ significantly.`;
  const against = clear.find(({ faster }) => faster !== top.faster);
  const at = (lead: Lead): string => (lead.at === '' ? '' : ` at ${lead.at}`);
  if (against !== undefined) {
    return `${top.faster} is ${ratioText(top)} ${top.slower}${at(top)}, but ${against.faster} is ${ratioText(against)} ${against.slower}${at(against)}.`;
  }
  if (pair.length === 1) {
    const { anyRun: wider } = top;
    const anyRun = wider === undefined ? '' : ` (next run: ${bracketed(wider.ci95)}${assumedMark(wider)})`;
    return `${top.faster} is ${ratioText(top)}${anyRun} ${top.slower}${top.at.startsWith('each') ? `, ${top.at}` : at(top)}.`;
  }
  const ratios = clear.map(({ ratio }) => ratio);
  if (clear.length === pair.length) {
    return `${top.faster} is ${formatRatio(Math.min(...ratios))} to ${formatRatio(Math.max(...ratios))} × ${top.slower}, in all ${pair.length} combinations.`;
  }
  const unclear = pair.length - clear.length;
  return `${top.faster} is ${ratioText(top)} ${top.slower}${at(top)}; in ${unclear} of ${pair.length} combinations they do not differ significantly.`;
}
