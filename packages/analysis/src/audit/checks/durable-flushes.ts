import { appliedWrites, type Check, holds, type TrialEvidence, voids } from '../evidence.ts';

/** At least this share of the demanded flushes must be seen; the edges of a trial blur the rest. */
export const flushShareMin = 0.9;
/** A writer may commit this much faster than one writer's measured sync rate: the probe is short and disks vary. */
const rateSlack = 3;

/**
 * A commit that is durable before it is acknowledged costs a flush, and one flush covers at most as many commits as
 * there are writers. Checked against the device's own counter, the database's, and the sync rate measured in the data
 * directory.
 */
export const checkDurableFlushes: Check = (evidence) => {
  const { cell, factsBefore, result, storage } = evidence;
  if (factsBefore.durability !== 'durable') return holds;
  const applied = appliedWrites(result, 'total');
  // No more operations can commit at the same time than are outstanding.
  const writersMax = Math.min(factsBefore.writersMax, cell.sessions * cell.depth);
  const flushesMin = Math.floor((applied / writersMax) * flushShareMin);
  const remedy =
    'commits were acknowledged before they were on stable storage: check the durability settings';
  if (
    storage?.deviceFlushes !== undefined &&
    storage.deviceFlushes !== null &&
    storage.deviceFlushes < flushesMin
  ) {
    return voids(
      'device-flushes',
      `durable commits were claimed, but the disk saw ${storage.deviceFlushes} flushes for ${applied} commits by at most ${writersMax} writers`,
      remedy,
    );
  }
  const flushes = databaseFlushes(evidence);
  if (flushes !== null && flushes < flushesMin) {
    return voids(
      'database-flushes',
      `durable commits were claimed, but the database counted ${flushes} flushes of its log for ${applied} commits by at most ${writersMax} writers`,
      remedy,
    );
  }
  // A counted flush is better evidence than a rate measured at another moment.
  if (storage === null || storage.deviceFlushes !== null || flushes !== null) return holds;
  const tps = (appliedWrites(result, 'window') / result.timing.windowMs) * 1000;
  const tpsMax = storage.fsyncPerSecond * writersMax * rateSlack;
  if (tps <= tpsMax) return holds;
  return voids(
    'implausible-durability',
    `${Math.round(tps)} durable commits per second, but the data directory syncs ${Math.round(storage.fsyncPerSecond)} times per second and one sync covers at most ${writersMax} commits`,
    remedy,
  );
};

function databaseFlushes({ countersBefore, countersAfter }: TrialEvidence): number | null {
  const { flushes: before } = countersBefore;
  const { flushes: after } = countersAfter;
  return before === undefined || after === undefined ? null : after - before;
}
