import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientModule, Deployment } from '@fair-bench/contract';
import type { CommitProbe } from '@fair-bench/results';
import { createSlots, createStream, shapeOf } from '@fair-bench/workload';
import type { FlushCounter } from '../probes/storage.ts';
import type { Seeded } from '../seed/seed.ts';

const probeMs = 500;
const quietMs = 150;
const operationsMax = 20_000;
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
 * after the first was acknowledged. Flushes that others do are subtracted at the rate of a quiet moment before. Rejects
 * when an operation fails.
 */
export async function probeCommits(target: ProbedTarget): Promise<CommitProbe> {
  const { deployment, client, seeded, flushes } = target;
  const { workload } = seeded;
  const signal = AbortSignal.timeout(stepTimeoutMs);
  const context = { index: 0, depth: 1, signal, workload: shapeOf(workload) };
  const session = await client.connect(deployment.endpoint, context);
  try {
    const stream = createStream(workload, { session: 0, sessions: 1 });
    const slots = createSlots(workload);
    const write = async (): Promise<number> => {
      for (;;) {
        const operation = stream.next(slots);
        if (workload.operations[operation]?.writes !== true) continue;
        const startMs = performance.now();
        const outcome = await session.execute(operation, slots[operation] ?? []);
        if (outcome.kind === 'fault')
          throw new Error(`a commit failed: ${outcome.message} (${outcome.code})`);
        // A declined operation commits nothing.
        if (outcome.kind === 'applied') return performance.now() - startMs;
      }
    };
    for (let warmUp = 0; warmUp < operationsBefore; warmUp += 1) await write();
    const quiet = await flushesPerMs(flushes);
    const before = (await flushes?.()) ?? 0;
    const startMs = performance.now();
    const latenciesMs: number[] = [];
    while (performance.now() - startMs < probeMs && latenciesMs.length < operationsMax) {
      latenciesMs.push(await write());
    }
    const elapsedMs = performance.now() - startMs;
    const counted = flushes === null ? null : (await flushes()) - before - quiet * elapsedMs;
    return {
      operations: latenciesMs.length,
      latencyMsP50: medianOf(latenciesMs),
      flushesPerOperation: counted === null ? null : Math.max(0, counted) / latenciesMs.length,
    };
  } finally {
    await session.close();
  }
}

/** What the device is asked for by others. */
async function flushesPerMs(flushes: FlushCounter | null): Promise<number> {
  if (flushes === null) return 0;
  const before = await flushes();
  const startMs = performance.now();
  await sleep(quietMs);
  return ((await flushes()) - before) / (performance.now() - startMs);
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
