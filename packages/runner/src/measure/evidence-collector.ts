import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { TrialEvidence } from '@fair-bench/analysis';
import {
  type Deployment,
  type Facts,
  isInLoadClient,
  logDirectoryOf,
  type Provider,
  type WorkCounters,
} from '@fair-bench/contract';
import type { Observed, Phase, TrialResult } from '@fair-bench/results';
import type { Canary, ChangedRows, RowsLeft, SessionOutcomes, WatchedOperation } from '@fair-bench/workload';
import { bounded, type Seeded } from '../seed/seed.ts';
import { sessionsOf } from '../seed/slices.ts';
import { replayRows, readAfter } from './after-trial.ts';
import { DiskWatch } from './disk-watch.ts';
import { allowedMs, type ReadyClient, type TrialEvents } from './load-client-process.ts';
import { timingOf } from './trial-plan.ts';
import type { TrialSetting } from './trial-setting.ts';
import { machineMs } from '../probes/machine-clock.ts';
import { Watch } from './watch.ts';
import { type WindowUsage, WindowUsageReader } from './window-usage.ts';

export const controlTimeoutMs = 30_000;
const auditTimeoutMs = 120_000;
/** How often the runner looks whether its event loop is late. */
const loopEveryMs = 10;

/** The rows before the load, and what is sent beside it. */
interface SeededTrial extends Seeded {
  readonly canaries: readonly Canary[];
  /** Operations of the load that another connection looks for. */
  readonly watched: readonly WatchedOperation[];
  /** Rows that another connection changes; null for none. */
  readonly changed: ChangedRows | null;
}

/** All evidence of a trial, and what its record has besides. */
export interface Collected {
  readonly evidence: TrialEvidence;
  readonly usage: WindowUsage;
  /** What the disk wrote in the window, if the engine is in the load client; null for a server, and where it is not known. */
  readonly windowWrittenBytes: number | null;
  readonly logs: readonly SessionOutcomes[];
  /** Of a slice: what it left; null where not all of its rows were read. */
  readonly left: RowsLeft | null;
}

/** Linux writes what is dirty for 30 s, and looks every 5 s. */
const writeBackMsMax = 60_000;

/** Gathers the evidence of one trial: before the load, at each of its phases, and after it. */
export class EvidenceCollector implements AsyncDisposable {
  readonly #setting: TrialSetting;
  readonly #seeded: SeededTrial;
  readonly #before: { readonly facts: Facts; readonly counters: WorkCounters };
  readonly #disk: DiskWatch;
  readonly #watch: Watch;
  readonly #usage: WindowUsageReader;
  readonly #loop = monitorEventLoopDelay({ resolution: loopEveryMs });
  readonly #heardMs = new Map<Phase, number>();
  #windowMsOrdered: number | null = null;
  #isHere = false;

  private constructor(
    setting: TrialSetting,
    seeded: SeededTrial,
    before: { readonly facts: Facts; readonly counters: WorkCounters },
    watches: { readonly disk: DiskWatch; readonly watch: Watch },
  ) {
    this.#setting = setting;
    this.#seeded = seeded;
    this.#before = before;
    this.#disk = watches.disk;
    this.#watch = watches.watch;
    this.#usage = new WindowUsageReader(setting.deployment.processes);
  }

  /** Reads what is compared after the load. The target is seeded and has settled. */
  static async before(setting: TrialSetting, seeded: SeededTrial, facts: Facts): Promise<EvidenceCollector> {
    const { deployment, signal, run } = setting;
    const storage = await setting.storage(logDirectoryOf(facts));
    const disk = new DiskWatch(storage, writersOf(facts, deployment));
    // Counters wait until they no longer rise.
    const counting = deployment.counters(bounded(signal, controlTimeoutMs));
    counting.catch(() => undefined);
    // A server that stops answering must not hold the trial for ever.
    const watchingMs = allowedMs({ timing: timingOf(run) }) + controlTimeoutMs + auditTimeoutMs;
    const watching = bounded(signal, watchingMs);
    const watch = await Watch.open(deployment, seeded.workload, seeded, watching);
    try {
      return new EvidenceCollector(setting, seeded, { facts, counters: await counting }, { disk, watch });
    } catch (error) {
      await watch[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The rows that are changed beside the load: where nobody else can write them, none are. */
  get changed(): ChangedRows | null {
    return this.#watch.changes.planned;
  }

  /** Call it before the load client has its plan. */
  start({ pid }: ReadyClient): void {
    this.#disk.begin(isInLoadClient(this.#before.facts) ? pid : undefined);
    this.#isHere = pid !== undefined;
  }

  /** Call it at once with each event of the load client. */
  hear(event: Parameters<TrialEvents>[0]): void {
    if (event.type === 'canary') this.#watch.canary(event);
    if (event.type === 'acknowledged') this.#watch.natural.acknowledged(event);
    if (event.type === 'phase') this.#phase(event.phase);
    if (event.type === 'window') {
      this.#windowMsOrdered = event.windowMs;
      if (this.#isHere) this.#watch.windowOrdered(event.windowMs);
    }
  }

  #phase(phase: Phase): void {
    const heardMs = machineMs();
    this.#heardMs.set(phase, heardMs);
    // First: operations go on meanwhile, and the count at the window's beginning lacks them.
    this.#watch.phase(phase, heardMs);
    if (phase === 'warmup') {
      this.#loop.enable();
      this.#disk.loadBegins();
    }
    if (phase === 'window') this.#disk.windowBegins();
    if (phase === 'drain') this.#disk.windowEnds();
    this.#usage.phase(phase);
  }

  /**
   * Reads what the load left, and compares the database with the outcome log. It also runs after an interruption, with
   * its own time limit: a measured number is kept only if its work was checked.
   */
  async finish(result: TrialResult, outstandingOnWire: number | null): Promise<Collected> {
    this.#loop.disable();
    const { cell, deployment, run, slice } = this.#setting;
    const seen = await this.#watch.observed();
    this.#setting.onMeasured?.(result);
    this.#disk.loadEnded();
    const { facts, counters } = this.#before;
    const host = this.#host(facts.provider, result);
    this.#setting.onStage?.('audit');
    const within = AbortSignal.timeout(auditTimeoutMs);
    // The operations are drawn again while the target settles; a scan is a transaction, and comes after it.
    const reading = readAfter(deployment, within);
    const replayed = { ...run, result, settled: reading, sessions: sessionsOf(cell, slice) };
    const rows = replayRows(this.#seeded, { ...replayed, keepsRows: slice !== undefined }, within);
    // Both end before the next trial, even if one fails.
    await Promise.allSettled([reading, rows]);
    const after = await reading;
    const { state, logs, left } = await rows;
    const { storage, writtenBytes } = this.#disk.seen();
    const observed = {
      ...seen,
      natural: this.#watch.natural.seen(logs, result, sharesClock(result)),
      changes: this.#watch.changes.seen(logs, result),
      outstandingOnWire,
      ...this.#committedInWindow(result),
      // The sessions have ended: what they left undone is done by now.
      committedAfterTrial: await this.#watch.committedNow(),
    };
    const evidence = {
      cell,
      loop: run.loop,
      faultsShareMax: run.faultsShareMax,
      result,
      windowMsPlanned: { least: run.timing.windowMs, most: run.timing.windowMsMax },
      windowMsOrdered: this.#windowMsOrdered,
      windowHeard: this.#windowHeard(result),
      host,
      state,
      factsBefore: facts,
      countersBefore: counters,
      ...after,
      storage,
      writtenBytes,
      observed,
    };
    const { windowMs } = result.timing;
    const usage = await this.#usage.usage(windowMs);
    // What is not flushed is written when the kernel likes: of a short window that says nothing.
    const isWritten = facts.durability === 'durable' || windowMs >= writeBackMsMax;
    const windowWrittenBytes = isWritten ? this.#disk.writtenInWindow(windowMs) : null;
    return { evidence, usage, windowWrittenBytes, logs, left };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#loop.disable();
    await this.#watch[Symbol.asyncDispose]();
  }

  #host(provider: Provider, { agents }: TrialResult): TrialEvidence['host'] {
    return this.#usage.host(
      provider,
      agents?.flatMap(({ pid }) => pid ?? []),
    );
  }

  #committedInWindow(result: TrialResult): Pick<Observed, 'committedInWindow'> {
    if (!sharesClock(result)) return {};
    const beginMs = windowFromMs(result);
    const committed = this.#watch.committed();
    return {
      committedInWindow: committed.map(({ atMs, count, readMs }) => ({
        afterMs: atMs - beginMs,
        count,
        readMs,
      })),
    };
  }

  #windowHeard(result: TrialResult): TrialEvidence['windowHeard'] {
    const [begin, end] = [this.#heardMs.get('window'), this.#heardMs.get('drain')];
    if (begin === undefined || end === undefined) return null;
    const isShared = sharesClock(result);
    const startMs = isShared ? windowFromMs(result) : begin;
    return {
      beginAfterMs: isShared ? begin - startMs : null,
      endAfterMs: end - startMs - result.timing.windowMs,
      runnerLateMs: Math.max(0, this.#loop.max / 1e6 - loopEveryMs),
    };
  }
}

/** The processes that write the log: of a server at a URL there may be none here, and its route writes none. */
function writersOf({ provider }: Facts, { processes }: Deployment): Deployment['processes'] {
  return provider === 'in-process' ? processes : processes.filter(({ role }) => role === 'database');
}

/** Processes of a machine share a clock, on Linux whatever they are written in. Agents have their own. */
function sharesClock({ agents }: TrialResult): boolean {
  return agents === undefined && process.platform === 'linux';
}

/** By the machine's clock. */
function windowFromMs({ timing }: TrialResult): number {
  return timing.startUs / 1000 + timing.warmupMs;
}
