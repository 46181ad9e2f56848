import {
  type CommitProbe,
  type KillTest,
  type RunSummary,
  basisWords,
  type TargetDurability,
} from '@fair-bench/results';
import { absent, formatNumber, plural } from './format.ts';
import { left, optional, type Section, tableOf } from './section.ts';

/** What each target's durability rests on: what it reported, what was requested, what flushes and kills showed. */
export function durabilitySection({ durability }: RunSummary): readonly Section[] {
  if (durability.length === 0) return [];
  const lines = [
    'Commits: one operation after the other by one session, median latency, flushes that the disk counted for each, and how many were acknowledged only after a flush, with the disk at rest before each; then the same with as many outstanding as in a trial. A kill test ends a server by SIGKILL under load and audits it after its restart: it shows what a process keeps when it dies. What was written but not flushed survives in the page cache, so only the flushes speak of a power cut.',
  ];
  return [
    { title: 'Durability', lines: [...lines, ...known(durability)], table: tableOf(columns, durability) },
  ];
}

/** What others have published of a version, whatever was seen here. */
function known(durability: readonly TargetDurability[]): readonly string[] {
  const lines = durability.flatMap(({ target, knownLosses = [] }) =>
    knownLosses.map(
      ({ system, versions, what, mended, source }) =>
        `Known of ${target} (${system} ${versions.join(', ')}): ${what}${mended === null ? '' : ` (${mended})`}; ${source}`,
    ),
  );
  return [...new Set(lines)];
}

const columns = [
  left('target', ({ target }: TargetDurability) => target),
  left('durability', ({ durability }: TargetDurability) => durability),
  left('known by', ({ basis }: TargetDurability) => basisWords[basis.status]),
  left('durable commits', ({ levels }: TargetDurability) => commits(levels?.durable ?? null)),
  left('async commits', ({ levels }: TargetDurability) => commits(levels?.async ?? null)),
  left('kill test', ({ killTest }: TargetDurability) =>
    killTest === null ? absent : `${describeKills(killTest)} (${killTest.measuredAt.slice(0, 10)})`,
  ),
  optional(
    left('power cuts', ({ powerCuts }: TargetDurability) => {
      const cuts = powerCuts?.own ?? null;
      return cuts === null
        ? absent
        : `${cuts.lossy} of ${cuts.cuts} lost something (${cuts.measuredAt.slice(0, 10)})`;
    }),
  ),
  left('because', ({ basis }: TargetDurability) => basis.because),
];

function commits(probe: CommitProbe | null): string {
  if (probe === null) return absent;
  const { latencyMsP50, flushesPerOperation, afterFlushShare, atLoad } = probe;
  const flushes =
    flushesPerOperation === null ? 'flushes not counted' : `${formatNumber(flushesPerOperation)} flushes`;
  const after = afterFlushShare === null ? '' : `, ${afterFlush(afterFlushShare)} after one`;
  const loaded =
    atLoad === null
      ? ''
      : `; with ${atLoad.outstanding} outstanding ${formatNumber(atLoad.flushesPerOperation)} flushes, ${afterFlush(atLoad.afterFlushShare)} after one`;
  return `${formatNumber(latencyMsP50)} ms, ${flushes}${after}${loaded}`;
}

/** `98 %`: of commits that begin while the disk is idle, those acknowledged after a flush. */
export function afterFlush(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** `2 kills, 2,802 acknowledged, 0 lost something`. */
export function describeKills({ kills }: KillTest): string {
  const count = (outcome: string): number => kills.filter((kill) => kill.outcome === outcome).length;
  const acknowledged = kills.reduce((sum, kill) => sum + kill.acknowledged, 0);
  const undecided = count('undecided') === 0 ? '' : `, ${count('undecided')} undecided`;
  return `${plural(kills.length, 'kill')}, ${acknowledged.toLocaleString('en-US')} acknowledged, ${count('lost')} lost something${undecided}`;
}
