import type { Facts } from '@fair-bench/contract';
import type { CommitProbe, DurabilityEvidence, KillTest, Standing } from '@fair-bench/results';

/** Flushes per operation from which one operation after the other waits for a flush each. */
const flushesPerCommitMin = 0.9;
/** Asynchronous commits must show fewer flushes than this share of the durable ones', */
const asyncFlushShareMax = 0.5;
/** or a durable one must take longer by this share of a sync of the data directory. */
const syncShareMin = 0.5;

/**
 * How far a target's durability is shown: pure. What the live system said is read. What only our own request says is
 * observed when one operation after the other costs a flush of the disk each, and is else shown as requested. A kill
 * test alone never makes it observed: what a killed process had written is still in the page cache.
 */
export function standingOf(
  { durability, durabilityBasis }: Pick<Facts, 'durability' | 'durabilityBasis'>,
  evidence: DurabilityEvidence | null,
): Standing {
  const killTest = evidence?.killTest ?? null;
  const lost = killTest?.kills.filter(({ outcome }) => outcome === 'lost').length ?? 0;
  if (durability === 'durable' && killTest !== null && lost > 0) {
    return { status: 'refuted', because: `${lost} of ${describeKills(killTest)} lost what was acknowledged` };
  }
  if (durabilityBasis === undefined || durabilityBasis.status === 'read') {
    return { status: 'read', because: 'the live system said so' };
  }
  const request = `${durabilityBasis.request} is our own request`;
  if (evidence === null) return { status: 'requested', because: `${request}, and nothing was observed` };
  const { levels, failure } = evidence;
  const doubt =
    levels === null ? (failure ?? 'both levels were not compared') : doubtOf(levels, evidence.syncMs);
  if (doubt === null && levels !== null) {
    return { status: 'observed', because: describeLevels(levels) };
  }
  const stored = durability === 'durable' ? keptByKills(killTest) : null;
  if (stored !== null) return { status: 'observed', because: stored };
  return { status: 'requested', because: `${request}; ${doubt}${survival(killTest)}` };
}

/** Why both levels do not show that durable commits wait for the disk and others do not; null when they do. */
function doubtOf(
  { durable, async }: NonNullable<DurabilityEvidence['levels']>,
  syncMs: number | null,
): string | null {
  const [waiting, free] = [durable.flushesPerOperation, async.flushesPerOperation];
  if (waiting === null || free === null) return 'the disk does not count its flushes';
  if (waiting < flushesPerCommitMin) return `a durable commit costs ${show(waiting)} flushes of the disk`;
  const moreMs = durable.latencyMsP50 - async.latencyMsP50;
  // A log that is flushed all the time counts a flush for nearly every commit, also for one that did not wait for it.
  const waits = syncMs !== null && moreMs >= syncMs * syncShareMin;
  if (waits || (moreMs > 0 && free <= waiting * asyncFlushShareMax)) return null;
  const one = (probe: CommitProbe): string =>
    `${show(probe.latencyMsP50)} ms and ${show(probe.flushesPerOperation ?? 0)} flushes`;
  return `a durable commit takes ${one(durable)}, an asynchronous one ${one(async)}: too alike`;
}

function describeLevels({ durable, async }: NonNullable<DurabilityEvidence['levels']>): string {
  const one = ({ flushesPerOperation, latencyMsP50 }: CommitProbe): string =>
    `${show(flushesPerOperation ?? 0)} flushes and ${show(latencyMsP50)} ms`;
  return `one commit after the other costs ${one(durable)}; asynchronous ones ${one(async)}`;
}

/** The stored test shows it when no kill lost anything and each commit cost a flush; both are needed. */
function keptByKills(test: KillTest | null): string | null {
  if (test === null || test.kills.some(({ outcome }) => outcome !== 'kept')) return null;
  const flushes = test.commits?.flushesPerOperation ?? null;
  if (flushes === null || flushes < flushesPerCommitMin) return null;
  return `none of ${describeKills(test)} lost anything, and one commit after the other cost ${show(flushes)} flushes of the disk`;
}

function survival(test: KillTest | null): string {
  if (test === null || test.kills.some(({ outcome }) => outcome !== 'kept')) return '';
  return `; none of ${describeKills(test)} lost anything, which shows that it survives the end of its process, not a power cut`;
}

function describeKills({ kills, measuredAt }: KillTest): string {
  return `${kills.length} kill${kills.length === 1 ? '' : 's'} on ${measuredAt.slice(0, 10)}`;
}

function show(value: number): string {
  return String(Number(value.toPrecision(2)));
}
