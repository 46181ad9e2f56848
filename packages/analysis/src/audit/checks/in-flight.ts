import { type Check, outstandingMaxOf, pass, fail, warn } from '../evidence.ts';

/** Concurrency must be what the cell says: counted by the load client and, where the server shows it, by the server. */
export const checkInFlight: Check = ({ cell, result, inFlight, factsAfter, observed }) => {
  const allowed = outstandingMaxOf(cell);
  const remedy = 'a session must send each operation once, and no more requests than its depth at a time';
  if (result.outstandingPeak > allowed) {
    return fail(
      'in-flight',
      `the load client had ${result.outstandingPeak} operations outstanding; ${allowed} are allowed`,
      remedy,
    );
  }
  const { outstandingOnWire } = observed;
  if (outstandingOnWire !== null && outstandingOnWire < cell.depth) {
    return warn(
      'depth-not-reached',
      `depth is ${cell.depth}, but a session has ${outstandingOnWire} requests on the wire before a reply to the first`,
      `the client queues operations: read this cell as depth ${outstandingOnWire}`,
    );
  }
  if (inFlight === null) return pass;
  // Each thread has one canary outstanding at a time, beside its slots; every process of a server counts a peak of its own.
  const threads = cell.threads * (result.agents?.length ?? 1);
  const canaries = observed.canaries === null ? 0 : threads * (factsAfter.appServer?.processes ?? 1);
  if (inFlight.peak > allowed + canaries) {
    return fail(
      'in-flight',
      `the server had ${inFlight.peak} operations outstanding; ${allowed} are allowed`,
      remedy,
    );
  }
  // A server with one writer ends each operation before it starts the next: its peak is 1.
  if (factsAfter.writersMax > 1 && cell.depth > 1 && inFlight.peak <= cell.sessions * cell.batch + canaries) {
    return warn(
      'depth-not-reached',
      `depth is ${cell.depth}, but the server never had more than ${inFlight.peak} operations outstanding from ${cell.sessions} sessions`,
      'the connection does not pipeline: read this cell as depth 1',
    );
  }
  return pass;
};
