import { type Facts, logDirectoryOf } from '@fair-bench/contract';
import type {
  CommitProbe,
  DurabilityEvidence,
  KillTest,
  LoadProbe,
  DurabilityBasis,
} from '@fair-bench/results';

/**
 * The least flushes per operation when operations come one after the other. It is less than 1 because the quiet rate of
 * other programs is subtracted, and they flush less often while the disk is busy.
 */
const flushesPerCommitMin = 0.6;
/** Of durable operations that begin while the disk is idle, at least this share is acknowledged after a flush. */
const afterFlushShareMin = 0.95;
/** Of async ones at most this share: where more are, waiting for the flush looks the same as being slow. */
const asyncShareMax = 0.75;

/**
 * How a target's durability is known. *Read*: the live system said so, and its log lies on storage that is seen here. *Observed*: durable operations are
 * acknowledged only after a flush, and the same server either acknowledges async ones without a flush or loses
 * nothing when killed, or loses nothing by power cuts by which the async level does. *Requested*: only our own request says so, or only the system's settings: on a file system in memory
 * they would be the same. A kill test alone is never enough: the page cache keeps what a killed process wrote.
 */
export function durabilityBasisOf(
  { durability, durabilityBasis, storage }: Pick<Facts, 'durability' | 'durabilityBasis' | 'storage'>,
  evidence: DurabilityEvidence | null,
): DurabilityBasis {
  const killTest = evidence?.killTest ?? null;
  const lost = killTest?.kills.filter(({ outcome }) => outcome === 'lost').length ?? 0;
  if (durability === 'durable' && killTest !== null && lost > 0) {
    return { status: 'refuted', because: `${lost} of ${describeKills(killTest)} lost what was acknowledged` };
  }
  const cuts = evidence?.powerCuts?.own ?? null;
  if (durability === 'durable' && cuts !== null && cuts.lossy > 0) {
    return {
      status: 'refuted',
      because: `${cuts.lossy} of ${describeCuts(cuts)} lost what was acknowledged`,
    };
  }
  if (durabilityBasis === undefined || durabilityBasis.status === 'read') {
    if (durability !== 'durable' || logDirectoryOf({ storage }) !== null)
      return { status: 'read', because: 'the live system said so' };
    return {
      status: 'requested',
      because:
        'the live system said so, but what its log lies on is not seen here: on a file system in memory it would say the same',
      isStorageUnknown: true,
    };
  }
  const request = `${durabilityBasis.request} is our own request`;
  if (evidence === null) return { status: 'requested', because: `${request}, and nothing was observed` };
  const { levels, failure } = evidence;
  const doubt = levels === null ? (failure ?? 'both levels were not compared') : doubtOf(levels);
  if (doubt === null && levels !== null) {
    return { status: 'observed', because: `${describe(levels.durable, levels.async)}; ${kept(killTest)}` };
  }
  // What the flushes of this run refute, no kill shows: a flush of another session may save what nobody waited for.
  const isUnlike = levels !== null && unlikeDurable(levels.durable) !== null;
  const stored =
    durability === 'durable' && !isUnlike ? (keptByCuts(evidence) ?? keptByKills(killTest)) : null;
  if (stored !== null) return { status: 'observed', because: stored };
  return {
    status: 'requested',
    because: `${request}; ${doubt}${survival(killTest)}`,
    killTestCouldShow: killTestCouldShow(evidence),
  };
}

/** Whether a kill test could turn a requested durability into an observed one. */
export function killTestCouldShow(evidence: DurabilityEvidence): boolean {
  const { levels, killTest } = evidence;
  // A system with one level has nothing to compare it with; a kill test probes its commits too.
  return killTest === null && (levels === null || unlikeDurable(levels.durable) === null);
}

/** Why comparing both levels does not show that durable commits alone wait for the disk; null when it does. */
function doubtOf({ durable, async }: NonNullable<DurabilityEvidence['levels']>): string | null {
  const unlike = unlikeDurable(durable);
  if (unlike !== null) return unlike;
  if (async.afterFlushShare === null) return uncounted;
  return async.afterFlushShare <= asyncShareMax ? null : `${describe(durable, async)}: too alike`;
}

const uncounted = 'the disk does not count its flushes, or others flush it all the time';

/** Why commits do not look as if each waits for a flush; null when they do. */
function unlikeDurable({ flushesPerOperation, afterFlushShare, atLoad }: CommitProbe): string | null {
  if (flushesPerOperation === null || afterFlushShare === null) return uncounted;
  if (flushesPerOperation < flushesPerCommitMin) {
    return `a durable commit costs ${show(flushesPerOperation)} flushes of the disk`;
  }
  if (afterFlushShare < afterFlushShareMin) {
    return `${percent(1 - afterFlushShare)} of durable commits were acknowledged before a flush of the disk`;
  }
  return atLoad === null ? null : unlikeDurableAtLoad(atLoad);
}

/** One flush covers at most all that is outstanding, and each commit waits for one. */
function unlikeDurableAtLoad({
  outstanding,
  flushesPerOperation,
  afterFlushShare,
}: LoadProbe): string | null {
  const atLoad = `of durable commits with ${outstanding} outstanding`;
  if (afterFlushShare < afterFlushShareMin) {
    return `${percent(1 - afterFlushShare)} ${atLoad} were acknowledged before a flush of the disk`;
  }
  if (flushesPerOperation * outstanding >= flushesPerCommitMin) return null;
  return `one flush covered ${Math.round(1 / flushesPerOperation)} ${atLoad}`;
}

function describe(durable: CommitProbe, async: CommitProbe): string {
  return (
    `${percent(durable.afterFlushShare)} of durable commits were acknowledged after a flush of the disk ` +
    `(${show(durable.latencyMsP50)} ms), of asynchronous ones ${percent(async.afterFlushShare)} (${show(async.latencyMsP50)} ms)` +
    (durable.atLoad === null
      ? ''
      : `; of durable ones with ${durable.atLoad.outstanding} outstanding ${percent(durable.atLoad.afterFlushShare)}`)
  );
}

/** What kills under load say beside the flushes. */
function kept(test: KillTest | null): string {
  if (test === null) return 'it was not killed under load';
  const undecided = test.kills.filter(({ outcome }) => outcome === 'undecided').length;
  if (undecided > 0) return `${undecided} of ${describeKills(test)} decided nothing`;
  return `none of ${describeKills(test)} lost anything`;
}

/** A kill test shows it when no kill lost anything and each commit waited for a flush; both are necessary. */
function keptByKills(test: KillTest | null): string | null {
  if (test === null || test.kills.some(({ outcome }) => outcome !== 'kept')) return null;
  if (test.commits === null || unlikeDurable(test.commits) !== null) return null;
  return `none of ${describeKills(test)} lost anything, and ${percent(test.commits.afterFlushShare)} of commits were acknowledged after a flush of the disk`;
}

/** So many cuts may miss what was lost by one. */
const cutsMin = 3;

/** Power cuts show it when none of them lost anything, and those of the async level did: then the test could have seen it. */
function keptByCuts({ powerCuts }: DurabilityEvidence): string | null {
  const { own, otherLevel } = powerCuts ?? { own: null, otherLevel: null };
  if (own === null || otherLevel === null || own.lossy + own.undecided > 0) return null;
  if (own.cuts < cutsMin || otherLevel.lossy === 0) return null;
  return `none of ${describeCuts(own)} lost anything, and ${otherLevel.lossy} of ${otherLevel.cuts} did without flushes`;
}

function describeCuts({ cuts, measuredAt }: { readonly cuts: number; readonly measuredAt: string }): string {
  return `${cuts} power cut${cuts === 1 ? '' : 's'} on ${measuredAt.slice(0, 10)}`;
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

function percent(share: number | null): string {
  return `${Math.round((share ?? 0) * 100)} %`;
}
