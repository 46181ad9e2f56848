import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientModule, DataPlane, Deployment } from '@fair-bench/contract';
import { type CommitProbe, type LoadProbe, medianOf } from '@fair-bench/results';
import { createSlots, createStream, shapeOf, type Workload } from '@fair-bench/workload';
import type { DeviceCounter, StorageProbe } from '../probes/storage.ts';
import type { Seeded } from '../seed/seed.ts';

const slices = 9;
const sliceMs = 60;
const quietMs = 40;
/** Operations that each begin while the disk is idle. */
const lonelyOperations = 48;
const restMsMin = 6;
const restMsMax = 40;
/** If the disk is flushed more often than this while no operation runs, the probe cannot decide. */
const backgroundShareMax = 0.8;
/** At load: so often a quiet moment, and this long all sessions at once. */
const loadSlices = 3;
const loadSliceMs = 200;
const outstandingMax = 128;
/** Uncounted operations first: connections, caches, the first segment of a log. */
const operationsBefore = 20;
const stepTimeoutMs = 20_000;

interface Load {
  readonly sessions: number;
  readonly depth: number;
}

interface ProbedTarget {
  readonly deployment: Pick<Deployment, 'endpoint'>;
  readonly client: ClientModule;
  readonly seeded: Seeded;
  /** The storage of its data; null where unknown. */
  readonly storage: StorageProbe | null;
  /** The load of its trials; null to look at one session only. */
  readonly load: Load | null;
}

/**
 * Executes writing operations in one session, each after the previous acknowledgement, and measures their latency and
 * the disk's flushes; then as many at once as a trial has. Rejects when an operation fails, and where none writes.
 */
export async function probeCommits(probed: ProbedTarget): Promise<CommitProbe> {
  const { deployment, client, seeded, storage, load } = probed;
  const why = nothingToProbe(seeded.workload);
  if (why !== null) throw new Error(why);
  const signal = AbortSignal.timeout(stepTimeoutMs);
  const context = { index: 0, depth: 1, signal, workload: shapeOf(seeded.workload) };
  const session = await client.connect(deployment.endpoint, context);
  const flushes = storage?.flushes ?? null;
  const alone = await probeAlone(session, probed, flushes);
  const isLoaded = flushes !== null && load !== null;
  return { ...alone, atLoad: isLoaded ? await probeAtLoad(probed, load, flushes) : null };
}

async function probeAlone(
  session: DataPlane,
  { seeded, storage }: ProbedTarget,
  flushes: DeviceCounter | null,
): Promise<Omit<CommitProbe, 'atLoad'>> {
  try {
    const write = writerOf(seeded, session, { session: 0, sessions: 1 });
    for (let warmUp = 0; warmUp < operationsBefore; warmUp += 1) await write();
    const inARow = await commitsInARow(write, flushes);
    const restMs = (4 * 1000) / (storage?.fsyncPerSecond ?? Infinity);
    const afterFlushShare = flushes === null ? null : await acknowledgedAfterFlush(write, flushes, restMs);
    return { ...inARow, afterFlushShare };
  } finally {
    await session.close();
  }
}

/**
 * As many operations outstanding as in a trial: one flush covers many of them, but each must see one completed between its
 * sending and its acknowledgement.
 */
async function probeAtLoad(
  { deployment, client, seeded }: ProbedTarget,
  load: Load,
  flushes: DeviceCounter,
): Promise<LoadProbe | null> {
  const sessions = Math.min(load.sessions, outstandingMax);
  const depth = Math.max(1, Math.min(load.depth, Math.floor(outstandingMax / sessions)));
  if (sessions * depth === 1) return null;
  const signal = AbortSignal.timeout(stepTimeoutMs);
  const planes: DataPlane[] = [];
  const counts = { operations: 0, after: 0, flushes: 0 };
  try {
    for (let index = 0; index < sessions; index += 1) {
      const context = { index, depth, signal, workload: shapeOf(seeded.workload) };
      planes.push(await client.connect(deployment.endpoint, context));
    }
    const writes = planes.map((plane, session) => writerOf(seeded, plane, { session, sessions }));
    for (let slice = 0; slice < loadSlices; slice += 1) {
      const quiet = await flushesIn(flushes, async () => await sleep(quietMs));
      const busy = await flushesIn(flushes, async (elapsedMs) => {
        const slot = async (write: Write): Promise<void> => {
          do {
            const sent = flushes();
            await write();
            counts.operations += 1;
            if (flushes() > sent) counts.after += 1;
          } while (elapsedMs() < loadSliceMs);
        };
        await Promise.all(writes.flatMap((write) => Array.from({ length: depth }, async () => slot(write))));
      });
      if (quiet === null || busy === null) return null;
      counts.flushes += Math.max(0, busy.count - (quiet.count / quiet.elapsedMs) * busy.elapsedMs);
    }
  } finally {
    await Promise.all(planes.map(async (plane) => await plane.close()));
  }
  const { operations, after } = counts;
  return {
    outstanding: sessions * depth,
    operations,
    flushesPerOperation: counts.flushes / operations,
    afterFlushShare: after / operations,
  };
}

type Write = () => Promise<number>;

/**
 * Operations one after the other for half a second. One flush cannot cover two of them, because the second begins
 * after the first was acknowledged. Other programs may flush the same disk: each slice is compared with a quiet
 * moment before it, and the median slice counts.
 */
async function commitsInARow(
  write: Write,
  flushes: DeviceCounter | null,
): Promise<Omit<CommitProbe, 'afterFlushShare' | 'atLoad'>> {
  const latenciesMs: number[] = [];
  const flushesPerOperation: number[] = [];
  for (let slice = 0; slice < slices; slice += 1) {
    const quiet = await flushesIn(flushes, async () => await sleep(quietMs));
    const from = latenciesMs.length;
    const busy = await flushesIn(flushes, async (elapsedMs) => {
      do latenciesMs.push(await write());
      while (elapsedMs() < sliceMs);
    });
    if (quiet === null || busy === null) continue;
    const ours = busy.count - (quiet.count / quiet.elapsedMs) * busy.elapsedMs;
    flushesPerOperation.push(Math.max(0, ours) / (latenciesMs.length - from));
  }
  return {
    operations: latenciesMs.length,
    latencyMsP50: medianOf(latenciesMs),
    flushesPerOperation: flushesPerOperation.length === 0 ? null : medianOf(flushesPerOperation),
  };
}

/**
 * Operations that each begin while the disk is idle, so that no flush of an earlier one ends during them: the share
 * whose acknowledgement followed a completed flush. Flushes of other programs would raise it, so the share of equally
 * long quiet moments with a flush is removed (Abbott 1925). Null where the disk is never idle.
 */
async function acknowledgedAfterFlush(
  write: Write,
  flushes: DeviceCounter,
  restMs: number,
): Promise<number | null> {
  let [after, quiet, latencyMs] = [0, 0, 0];
  for (let operation = 0; operation < lonelyOperations; operation += 1) {
    await sleep(Math.min(restMsMax, Math.max(restMsMin, restMs)));
    const atRest = flushes();
    await sleep(Math.min(restMsMax, latencyMs));
    const sent = flushes();
    if (sent > atRest) quiet += 1;
    latencyMs = await write();
    if (flushes() > sent) after += 1;
  }
  const background = quiet / lonelyOperations;
  if (background > backgroundShareMax) return null;
  return Math.max(0, (after / lonelyOperations - background) / (1 - background));
}

/** Why no commit of a workload can be probed, or null. */
export function nothingToProbe({ description, operations }: Workload): string | null {
  return operations.some(({ writes, weight }) => writes && weight > 0)
    ? null
    : `there is no commit to probe: no operation of the workload ${description.name} writes`;
}

/** Executes the stream's next writing operation; resolves with its duration in milliseconds. */
function writerOf(
  { workload }: Seeded,
  plane: DataPlane,
  place: { readonly session: number; readonly sessions: number },
): Write {
  const stream = createStream(workload, place);
  return async () => {
    // Operations of one session may be outstanding at the same time.
    const slots = createSlots(workload);
    for (;;) {
      const operation = stream.next(slots);
      if (workload.operations[operation]?.writes !== true) continue;
      const startMs = performance.now();
      const outcome = await plane.execute(operation, slots[operation] ?? []);
      if (outcome.kind === 'fault') throw new Error(`a commit failed: ${outcome.message} (${outcome.code})`);
      // A declined operation commits nothing.
      if (outcome.kind === 'applied') return performance.now() - startMs;
    }
  };
}

/** The device's flushes during an action; null where it does not count them. */
async function flushesIn(
  flushes: DeviceCounter | null,
  act: (elapsedMs: () => number) => Promise<void>,
): Promise<{ readonly count: number; readonly elapsedMs: number } | null> {
  const before = flushes?.() ?? null;
  const startMs = performance.now();
  const elapsedMs = (): number => performance.now() - startMs;
  await act(elapsedMs);
  const after = flushes?.() ?? null;
  return before === null || after === null ? null : { count: after - before, elapsedMs: elapsedMs() };
}
