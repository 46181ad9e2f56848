import { losesInPowerCut } from '@fair-bench/contract';
import { appliedWrites, type Check, pass, type TrialEvidence, fail } from '../evidence.ts';

/** At least this share of the demanded flushes must be seen; the edges of a trial blur the rest. */
export const flushShareMin = 0.9;
/** A flush has written a page at least. */
const pageBytes = 4096;
/** A writer may commit this much faster than one writer's measured sync rate: the probe is short and disks vary. */
const rateSlack = 3;

/**
 * A commit that is durable before it is acknowledged costs a flush, and one flush covers at most as many commits as
 * there are writers. Checked against the device's own counter, the database's, and the sync rate measured in the data
 * directory.
 */
export const checkDurableFlushes: Check = (evidence) => {
  const { cell, factsBefore, result, storage } = evidence;
  if (factsBefore.durability !== 'durable') return pass;
  // The operations of a batch share its commit.
  const commits = Math.ceil(appliedWrites(result, 'total') / cell.batch);
  // No more requests can commit at the same time than are outstanding.
  const writersMax = Math.min(factsBefore.writersMax, cell.sessions * cell.depth);
  const flushesMin = Math.floor((commits / writersMax) * flushShareMin);
  const remedy =
    'commits were acknowledged before they were on stable storage: check the durability settings';
  const claim = (found: string): string =>
    `durable commits were claimed, but ${found} for ${commits} commits by at most ${writersMax} writers`;
  // What lies in memory is another rule's.
  if (losesInPowerCut(factsBefore.storage)) return pass;
  const seen = deviceFlushesOf(evidence);
  if (seen !== null && seen.all < flushesMin) {
    return fail('device-flushes', claim(`the disk saw ${seen.all} flushes`), remedy);
  }
  if (seen !== null && seen.all - seen.ofOthers < flushesMin) {
    return fail(
      'flushes-of-others',
      claim(
        `the disk saw ${seen.all} flushes, of which as many as before and after the load (${seen.ofOthers}) are those of others,`,
      ),
      'end the other programs that flush this disk; or check the durability settings',
    );
  }
  if (evidence.writtenBytes !== null && evidence.writtenBytes < flushesMin * pageBytes) {
    const kib = Math.floor(evidence.writtenBytes / 1024);
    return fail(
      'server-writes',
      claim(`the server itself wrote ${kib} KiB to a disk, and each flush writes 4 KiB at least,`),
      'the flushes of the disk are those of other programs: find where the server keeps its log',
    );
  }
  const flushes = databaseFlushes(evidence);
  if (flushes !== null && flushes < flushesMin) {
    return fail('database-flushes', claim(`the database counted ${flushes} flushes of its log`), remedy);
  }
  // A counted flush is better evidence than a rate measured at another moment.
  if (storage === null || storage.deviceFlushes !== null || flushes !== null) return pass;
  const tps = (appliedWrites(result, 'window') / cell.batch / result.timing.windowMs) * 1000;
  const tpsMax = storage.fsyncPerSecond * writersMax * rateSlack;
  if (tps <= tpsMax) return pass;
  return fail(
    'implausible-durability',
    `${Math.round(tps)} durable commits per second, but the data directory syncs ${Math.round(storage.fsyncPerSecond)} times per second and one sync covers at most ${writersMax} commits`,
    remedy,
  );
};

/** Flushes from the beginning of a trial to its end: of the database's log where it counts them, otherwise of the disk; null where neither is seen. */
export function flushesOf(evidence: TrialEvidence): number | null {
  const device = deviceFlushesOf(evidence);
  const flushes = databaseFlushes(evidence) ?? (device === null ? null : device.all - device.ofOthers);
  return flushes === null ? null : Math.max(0, flushes);
}

/** Where the server's own writes are not known, what others flush before and after the load is not the server's. */
function deviceFlushesOf({
  storage,
  writtenBytes,
}: TrialEvidence): { readonly all: number; readonly ofOthers: number } | null {
  const all = storage?.deviceFlushes ?? null;
  if (all === null) return null;
  return { all, ofOthers: writtenBytes === null ? (storage?.quietFlushes ?? 0) : 0 };
}

function databaseFlushes({ countersBefore, countersAfter }: TrialEvidence): number | null {
  const { flushes: before } = countersBefore;
  const { flushes: after } = countersAfter;
  return before === undefined || after === undefined ? null : after - before;
}
