import { type DataPlane, messageOf } from '@fair-bench/contract';
import { shapeOf } from '@fair-bench/workload/client';
import { shareOf, type TrialPlan } from '@fair-bench/results/protocol';
import { withoutCredentials } from '../errors.ts';
import type { LoadModules } from '../modules.ts';
import { closeSessions, unlessAborted } from '../session-waits.ts';
import type { Assignment } from './messages.ts';

const connectsAtOnceMax = 32;

/**
 * Connects the sessions of an assignment, a few at a time, within `connectMs` for all of them. Rejects with the first
 * session that failed, or the abort's reason; then the connected ones are closed.
 */
export async function connectSessions(
  assignment: Assignment,
  { client, workload }: LoadModules,
  abort: AbortSignal,
): Promise<DataPlane[]> {
  const { plan, sessionFirst, sessionCount } = assignment;
  const shape = shapeOf(workload);
  const sessions = new Map<number, DataPlane>();
  const indexes = Array.from({ length: sessionCount }, (_, offset) => sessionFirst + offset).values();
  const failure = new AbortController();
  const deadline = AbortSignal.timeout(plan.timing.connectMs);
  const signal = AbortSignal.any([deadline, abort, failure.signal]);
  const connectNext = async (): Promise<void> => {
    for (const index of indexes) {
      if (signal.aborted) return;
      const session = await client.connect(plan.endpoint, {
        index,
        depth: plan.depth,
        signal,
        workload: shape,
      });
      if (plan.batch > 1 && session.executeBatch === undefined) {
        await closeSessions([session]);
        throw new Error(
          `its client module has no executeBatch, so that ${plan.batch} operations cannot go together`,
        );
      }
      // A connector that ignores its signal may connect too late to be useful.
      if (signal.aborted) await closeSessions([session]);
      else sessions.set(index, session);
    }
  };
  const lanes = Array.from({ length: Math.min(connectsAtOnceMax, sessionCount) }, connectNext);
  try {
    await unlessAborted(Promise.all(lanes), signal);
    signal.throwIfAborted();
  } catch (cause) {
    failure.abort();
    await closeSessions([...sessions.values()]);
    throw connectError(plan, sessions.size, deadline.aborted, cause);
  }
  return [...sessions.entries()].sort(([a], [b]) => a - b).map(([, session]) => session);
}

function connectError(plan: TrialPlan, connected: number, late: boolean, cause: unknown): Error {
  const where = withoutCredentials(plan.endpoint.url);
  const what = late ? `not all within ${plan.timing.connectMs} ms` : messageOf(cause);
  return new Error(
    `connecting ${shareOf(plan).sessionCount} sessions to ${where}: ${what} (${connected} were connected)`,
  );
}
