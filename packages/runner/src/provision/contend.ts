import {
  type ClientModule,
  type DataPlane,
  type Deployment,
  type JsonObject,
  messageOf,
} from '@fair-bench/contract';
import { closeSessions, unlessAborted } from '@fair-bench/load-client';
import type { Contention } from '@fair-bench/results';
import {
  replayOutcomes,
  contendedParameters,
  createSlots,
  createStream,
  OutcomeLog,
  outcomesOf,
  type ReplayResult,
  shapeOf,
  type Workload,
  type WorkloadDescription,
} from '@fair-bench/workload';
import { bounded, seed } from '../seed/seed.ts';

const sessionsMost = 16;
/** Few, so that what runs out does so in every burst, and no later operation gives back what was taken without a right. */
const operationsFew = 4;
/** Where the model declines none of so few. */
const operationsMore = 12;
/** A function that checks before it locks shows itself in about every second one. */
const burstsMost = 16;
/** No burst begins later, except for the first. */
const enoughMsDefault = 3_000;
const msMax = 30_000;
/** A target that fails more of its operations was not seen to carry them out beside each other. */
const faultsShareMost = 0.1;
/** Why a workload is not rehearsed. */
export const nothingDeclined = 'no drawn operation can be declined';

interface Contending {
  readonly target: string;
  readonly client: ClientModule;
  readonly deployment: Deployment;
  readonly description: WorkloadDescription;
  /** As many as the target was started for. */
  readonly sessionsMax: number;
  readonly enoughMs?: number;
  readonly signal: AbortSignal;
}

/** What came of it; `failed` where the audit found that it cannot be right. */
export type Contended = Contention | { readonly status: 'failed'; readonly reason: string };

/**
 * A few short bursts of concurrent operations on few rows, at amounts at which the model declines about half of them,
 * untimed and audited as trials are: large amounts would hide a rule that is checked too early, or not at all.
 */
export async function contend(contending: Contending): Promise<Contended> {
  const { description, sessionsMax } = contending;
  const sessions = Math.min(sessionsMost, sessionsMax);
  if (sessions === 1) return { status: 'not-observed', reason: 'the target was started for one session' };
  const [setting] = [operationsFew, operationsMore].flatMap((operations) => {
    const parameters = contendedParameters(description, { sessions, operations });
    return parameters === null ? [] : { parameters, sessions, operations };
  });
  if (setting === undefined) return { status: 'not-observed', reason: nothingDeclined };
  const signal = bounded(contending.signal, msMax);
  try {
    return await inBursts({ ...contending, signal }, setting);
  } catch (error) {
    const reason = signal.aborted ? `it took longer than ${msMax / 1000} s` : messageOf(error);
    return { status: 'not-observed', reason };
  }
}

interface Setting {
  readonly parameters: JsonObject;
  readonly sessions: number;
  /** Of each session in a burst. */
  readonly operations: number;
}

async function inBursts(
  contending: Contending,
  { parameters, sessions, operations }: Setting,
): Promise<Contended> {
  const counts: Counts = { applied: 0, declined: 0, faults: 0, inDoubt: 0, lastFault: '' };
  const end = performance.now() + (contending.enoughMs ?? enoughMsDefault);
  let planes: readonly DataPlane[] = [];
  try {
    for (let burst = 0; burst < burstsMost && (burst === 0 || performance.now() < end); burst += 1) {
      const seeded = await seeding(contending, { ...parameters, seed: String(burst) });
      if (planes.length === 0) planes = await connectAll(contending, seeded.workload, sessions);
      const log = await carryOut(contending, planes, seeded.workload, { operations, counts });
      if (counts.inDoubt > 0)
        return { status: 'not-observed', reason: `${counts.inDoubt} operations were in doubt` };
      const finding = await audit(seeded, log, contending.signal);
      if (finding.status === 'passed') continue;
      const example = finding.examples.length === 0 ? '' : ` (${finding.examples[0]})`;
      return {
        status: 'failed',
        reason: `${sessions} sessions at once on few rows: ${finding.reason}${example}`,
      };
    }
  } finally {
    await closeSessions(planes);
  }
  const { applied, declined, faults } = counts;
  const all = applied + declined + faults;
  if (faults > all * faultsShareMost)
    return {
      status: 'not-observed',
      reason: `${faults} of ${all} operations ended in a fault, ${counts.lastFault}`,
    };
  return { status: 'passed', sessions, applied, declined, faults };
}

interface Counts {
  applied: number;
  declined: number;
  faults: number;
  inDoubt: number;
  lastFault: string;
}
type Seeding = Awaited<ReturnType<typeof seeding>>;

async function seeding({ target, deployment, description, signal }: Contending, parameters: JsonObject) {
  return await seed({ cell: { target, parameters }, workload: description, deployment, signal });
}

async function connectAll(
  { client, deployment: { endpoint }, signal }: Contending,
  workload: Workload,
  sessions: number,
): Promise<readonly DataPlane[]> {
  const shape = shapeOf(workload);
  const all = Array.from({ length: sessions }, async (_, index) =>
    client.connect(endpoint, { index, depth: 1, signal, workload: shape }),
  );
  return await Promise.all(all);
}

/** Every session carries out its operations one at a time, on rows that the others use. */
async function carryOut(
  { signal }: Contending,
  planes: readonly DataPlane[],
  workload: Workload,
  { operations, counts }: { readonly operations: number; readonly counts: Counts },
): Promise<OutcomeLog> {
  const sessions = planes.length;
  const log = new OutcomeLog(workload, { sessions });
  const start = performance.now();
  const nowUs = (round: (us: number) => number): number => round((performance.now() - start) * 1000);
  const each = planes.map(async (plane, session) => {
    const own = log.open(session);
    const stream = createStream(workload, { session, sessions });
    const slots = createSlots(workload);
    for (let count = 0; count < operations; count += 1) {
      const number = stream.next(slots);
      const values = slots[number] ?? [];
      const sequence = own.drawn(number, values);
      const sentUs = nowUs(Math.floor);
      const outcome = await unlessAborted(plane.execute(number, values), signal);
      own.settled(sequence, number, values, outcome, sentUs, nowUs(Math.ceil));
      counts[outcome.kind === 'fault' ? 'faults' : outcome.kind] += 1;
      if (outcome.kind !== 'fault') continue;
      counts.lastFault = `the last one ${outcome.code}: ${outcome.message}`;
      if (outcome.inDoubt) counts.inDoubt += 1;
    }
  });
  await Promise.all(each);
  return log;
}

async function audit(
  { workload, tables }: Seeding,
  log: OutcomeLog,
  signal: AbortSignal,
): Promise<ReplayResult> {
  const logs = outcomesOf(log.encode());
  const scan = (table: number, within: AbortSignal) => tables.scan(table, within);
  return await replayOutcomes({ workload, logs, scan, signal });
}
