import type { ReplayFinding, Deployment, Row } from '@fair-bench/contract';
import type { TrialEvidence } from '@fair-bench/analysis';
import { sum, type TrialResult } from '@fair-bench/results';
import {
  type Canary,
  readOutcomeLog,
  replayOutcomes,
  RowsLeft,
  type SessionOutcomes,
  type SessionSpan,
} from '@fair-bench/workload';
import type { Seeded } from '../seed/seed.ts';
import { keeping } from '../seed/slices.ts';
import { withoutCanaries } from './canaries.ts';
import type { TrialRun } from './trial-plan.ts';

/** The target's facts and counters after the load. */
export async function readAfter(
  deployment: Deployment,
  within: AbortSignal,
): Promise<Pick<TrialEvidence, 'inFlight' | 'countersAfter' | 'factsAfter'>> {
  const inFlight = await deployment.inFlight(within);
  const countersAfter = await deployment.counters(within);
  return { inFlight, countersAfter, factsAfter: await deployment.facts(within) };
}

interface Replayed extends Pick<TrialRun, 'inDoubtShareMax'> {
  readonly result: TrialResult;
  /** When tables may be read. */
  readonly settled: Promise<unknown>;
  /** Those whose log there is. */
  readonly sessions: SessionSpan;
  /** Whether another load goes on from the rows. */
  readonly keepsRows: boolean;
}

/** Draws the operations again and compares every row with what they must have done. */
export async function replayRows(
  { workload, tables, unread, canaries }: Seeded & { readonly canaries: readonly Canary[] },
  { result, settled, inDoubtShareMax, sessions, keepsRows }: Replayed,
  signal: AbortSignal,
): Promise<{
  readonly state: ReplayFinding;
  readonly logs: readonly SessionOutcomes[];
  readonly left: RowsLeft | null;
}> {
  if (result.log === null) throw new Error('load client: it kept no outcome log; nothing can be audited');
  const logs = await readOutcomeLog(result.log, sessions);
  const left = keepsRows ? new RowsLeft(workload) : null;
  let isScanned = workload.tables.every(({ written }) => !written);
  const scan = async function* (table: number, within: AbortSignal): AsyncGenerator<readonly Row[]> {
    await settled;
    isScanned = true;
    yield* keeping(withoutCanaries(tables.scan(table, within), workload, table, canaries), table, left);
  };
  const state = await replayOutcomes({
    workload,
    logs,
    scan,
    unwritten: unread,
    reported: countsOf(result),
    windowUs: windowOf(result),
    signal,
    inDoubtShareMax,
  });
  // Once is enough: what a binding does to a table it does in every trial.
  if (state.status === 'passed') unread.clear();
  // A log that is refused is refused before any row is read.
  return { state, logs, left: isScanned ? left : null };
}

/** By the log's clock, which begins with the load. */
function windowOf({ timing: { warmupMs, windowMs } }: TrialResult): readonly [begin: number, end: number] {
  return [warmupMs * 1000, (warmupMs + windowMs) * 1000];
}

/** As the load client counted, from the first operation to the end of the drain. */
function countsOf({ total }: TrialResult) {
  const { applied, inDoubt } = total;
  return {
    applied,
    declined: sum(Object.values(total.declined)),
    faults: sum(Object.values(total.faults)),
    inDoubt,
  };
}
