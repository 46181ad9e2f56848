import { type Check, holds, voids, warns } from '../evidence.ts';

/** Concurrency must be what the cell says: counted by the load client, and by the server where it shows it. */
export const checkInFlight: Check = ({ cell, result, inFlight, factsAfter, observed }) => {
  const allowed = cell.sessions * cell.depth;
  const remedy = 'a session must not send more than it was given, nor send anything twice';
  if (result.outstandingPeak > allowed) {
    return voids(
      'in-flight',
      `the load client had ${result.outstandingPeak} outstanding of ${allowed} allowed`,
      remedy,
    );
  }
  const { outstandingOnWire } = observed;
  if (outstandingOnWire !== null && outstandingOnWire < cell.depth) {
    return warns(
      'depth-not-reached',
      `depth is ${cell.depth}, but a session has ${outstandingOnWire} requests on the wire before a reply to the first`,
      'the client holds operations back: read this cell as that depth',
    );
  }
  if (inFlight === null) return holds;
  // Each thread has one canary outstanding at a time, beside its slots; every process of a server counts a peak of its own.
  const threads = cell.threads * (result.agents?.length ?? 1);
  const canaries = observed.canaries === null ? 0 : threads * (factsAfter.appServer?.processes ?? 1);
  if (inFlight.peak > allowed + canaries) {
    return voids(
      'in-flight',
      `the server had ${inFlight.peak} operations in hand of ${allowed} allowed`,
      remedy,
    );
  }
  // A server with one writer ends each operation before it takes up the next: it has no more in hand.
  if (factsAfter.writersMax > 1 && cell.depth > 1 && inFlight.peak <= cell.sessions + canaries) {
    return warns(
      'depth-not-reached',
      `depth is ${cell.depth}, but the server never had more than ${inFlight.peak} operations in hand from ${cell.sessions} sessions`,
      'the connection does not pipeline: read this cell as depth 1',
    );
  }
  return holds;
};
