import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientModule, Deployment } from '@fair-bench/contract';
import type { CommitProbe } from '@fair-bench/results';
import { createSlots, createStream, shapeOf } from '@fair-bench/workload';
import type { FlushCounter } from '../probes/storage.ts';
import type { Seeded } from '../seed/seed.ts';

const slices = 9;
const sliceMs = 60;
const quietMs = 40;
/** Before the first that counts: connections, caches, the first segment of a log. */
const operationsBefore = 20;
const stepTimeoutMs = 20_000;

export interface ProbedTarget {
  readonly deployment: Pick<Deployment, 'endpoint'>;
  readonly client: ClientModule;
  readonly seeded: Seeded;
  /** The flush counter of the device under its data; null where it counts none. */
  readonly flushes: FlushCounter | null;
}

/**
 * Carries out operations that write, one after the other by one session, for half a second, and says what one of them
 * took and how many flushes of the disk it came with. One flush cannot cover two of them, as the second begins
 * after the first was acknowledged. Others may flush the same disk: each slice is compared with a quiet moment before it,
 * and the median slice counts. Rejects when an operation fails.
 */
export async function probeCommits(target: ProbedTarget): Promise<CommitProbe> {
  const { deployment, client, seeded, flushes } = target;
  const signal = AbortSignal.timeout(stepTimeoutMs);
  const context = { index: 0, depth: 1, signal, workload: shapeOf(seeded.workload) };
  const session = await client.connect(deployment.endpoint, context);
  try {
    const write = writerOf(seeded, session);
    for (let warmUp = 0; warmUp < operationsBefore; warmUp += 1) await write();
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
  } finally {
    await session.close();
  }
}

/** Carries out the stream's next operation that writes, and resolves with how long it took, milliseconds. */
function writerOf(
  { workload }: Seeded,
  session: Awaited<ReturnType<ClientModule['connect']>>,
): () => Promise<number> {
  const stream = createStream(workload, { session: 0, sessions: 1 });
  const slots = createSlots(workload);
  return async () => {
    for (;;) {
      const operation = stream.next(slots);
      if (workload.operations[operation]?.writes !== true) continue;
      const startMs = performance.now();
      const outcome = await session.execute(operation, slots[operation] ?? []);
      if (outcome.kind === 'fault') throw new Error(`a commit failed: ${outcome.message} (${outcome.code})`);
      // A declined operation commits nothing.
      if (outcome.kind === 'applied') return performance.now() - startMs;
    }
  };
}

/** The device's flushes while something goes on; null where it counts none. */
async function flushesIn(
  flushes: FlushCounter | null,
  act: (elapsedMs: () => number) => Promise<void>,
): Promise<{ readonly count: number; readonly elapsedMs: number } | null> {
  const before = (await flushes?.()) ?? null;
  const startMs = performance.now();
  const elapsedMs = (): number => performance.now() - startMs;
  await act(elapsedMs);
  const after = (await flushes?.()) ?? null;
  return before === null || after === null ? null : { count: after - before, elapsedMs: elapsedMs() };
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
