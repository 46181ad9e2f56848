import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { byRole, type Deployment, type Facts } from '@fair-bench/contract';
import { appliedSlotMs, type SoakEvent, type SoakSample, type SoakSlice } from '@fair-bench/results';
import { readCpuUs, readMemoryBytes } from '@fair-bench/supervisor';
import { courseBySecond, longestSilence } from '@fair-bench/workload';
import { machineMs } from './machine-clock.ts';
import { Repeated } from './repeated.ts';
import type { EndedTrial, Probed, TrialEvent, TrialProbe } from './trial-probe.ts';

const sampleEveryMs = 1_000;
/** The kernel walks page tables for the memory, and every file is asked for its size. */
const thoroughEveryMs = 15_000;
const blockBytes = 512;

/** What a slice of a long load has besides other trials: its course by the second, with processes, files and background work. */
export class SliceProbe implements TrialProbe {
  readonly #identity: Pick<SoakSlice, 'slice' | 'seeded'>;
  #deployment: Deployment | null = null;
  #directory: string | null = null;
  #client: number | undefined;
  #thoroughMs = 0;
  #counts: Readonly<Record<string, number>> | null = null;
  /** By the machine's clock. */
  readonly #samples: SoakSample[] = [];
  readonly #events: SoakEvent[] = [];
  readonly #readings = new Repeated(
    async () => await this.#read(),
    (tookMs) => Math.max(0, sampleEveryMs - tookMs),
  );

  constructor(identity: Pick<SoakSlice, 'slice' | 'seeded'>) {
    this.#identity = identity;
  }

  async begin(deployment: Deployment, signal: AbortSignal, facts: Facts): Promise<void> {
    this.#deployment = deployment;
    this.#directory = facts.storage.directory;
    this.#counts = (await deployment.background?.(signal)) ?? null;
  }

  hear(event: TrialEvent, pid: number | undefined): void {
    if (event.type !== 'phase') return;
    this.#client = pid;
    if (event.phase === 'warmup') this.#readings.start(sampleEveryMs);
    if (event.phase === 'drain') void this.#readings.stop();
  }

  async end({ result, logs }: EndedTrial): Promise<Probed> {
    await this.#readings.stop();
    const { timing, series, appliedSlots } = result;
    const untilMs = timing.warmupMs + timing.windowMs;
    const course = courseBySecond(logs, [timing.warmupMs, untilMs]);
    const sinceStart = <One extends { readonly atMs: number }>(one: One): One => ({
      ...one,
      atMs: Math.max(0, one.atMs - timing.startUs / 1_000),
    });
    const seconds = series
      .filter(({ second }) => second * 1_000 >= timing.warmupMs && (second + 1) * 1_000 <= untilMs)
      .map(({ second, applied, faults }) => ({
        second,
        applied,
        faults,
        latencyMs: course?.seconds[second] ?? null,
      }));
    const soak: SoakSlice = {
      ...this.#identity,
      seconds,
      samples: this.#samples.map(sinceStart),
      events: this.#counts === null ? null : this.#events.map(sinceStart),
      silence: course?.silence ?? silenceOf(appliedSlots, timing.warmupMs),
    };
    return { parts: { soak } };
  }

  async #read(): Promise<void> {
    const deployment = this.#deployment;
    if (deployment === null) return;
    const atMs = machineMs();
    const { processes } = deployment;
    const client = this.#client === undefined ? null : [{ role: 'appServer', pid: this.#client } as const];
    const [own, servers] = [client === null ? null : readCpuUs(client), readCpuUs(processes)];
    const cpuUs = { client: own?.appServer ?? 0, ...byRole((role) => servers[role]) };
    const isThorough = atMs - this.#thoroughMs >= thoroughEveryMs;
    if (isThorough) this.#thoroughMs = atMs;
    const rssMb = isThorough ? await memoryOf(client, processes) : null;
    const filesBytes = isThorough ? await filesBytesOf(this.#directory) : null;
    this.#samples.push({ atMs, cpuUs, rssMb, filesBytes });
    await this.#count(deployment);
  }

  async #count({ background }: Deployment): Promise<void> {
    const before = this.#counts;
    if (background === undefined || before === null) return;
    const counts = await background(AbortSignal.timeout(sampleEveryMs * 10));
    const atMs = machineMs();
    this.#counts = counts;
    for (const [name, count] of Object.entries(counts)) {
      // One that was not told before says nothing of when it rose.
      const more = count - (before[name] ?? count);
      if (more > 0) this.#events.push({ atMs, name, count: more });
    }
  }
}

async function memoryOf(
  client: Parameters<typeof readMemoryBytes>[0] | null,
  processes: Deployment['processes'],
): Promise<SoakSample['rssMb']> {
  const [own, servers] = [
    client === null ? null : await readMemoryBytes(client),
    await readMemoryBytes(processes),
  ];
  const mbOf = (bytes: number | null): number | null => (bytes === null ? null : bytes / 2 ** 20);
  return { client: mbOf(own?.appServer ?? null) ?? 0, ...byRole((role) => mbOf(servers[role])) };
}

/** The room that the files of a directory take on their disk; null where they are not seen. */
async function filesBytesOf(directory: string | null): Promise<number | null> {
  if (directory === null) return null;
  try {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    // A file may go while others are looked at.
    const sizes = await Promise.all(
      files.map(async ({ parentPath, name }) => await stat(join(parentPath, name)).catch(() => null)),
    );
    return sizes.reduce((sum, found) => sum + (found?.blocks ?? 0) * blockBytes, 0);
  } catch {
    return null;
  }
}

/** By slots, where the log has no times. */
function silenceOf(appliedSlots: readonly number[], warmupMs: number): SoakSlice['silence'] {
  const { at, slots } = longestSilence(appliedSlots);
  return { atMs: warmupMs + at * appliedSlotMs, ms: slots * appliedSlotMs };
}
