import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DataPlane, messageOf } from '@fair-bench/contract';
import type { TrialPlan } from '@fair-bench/results/protocol';
import {
  createSlots,
  createStream,
  OutcomeLog,
  type SessionLog,
  type PlannedWorkload,
} from '@fair-bench/workload/client';
import { toSharedMs } from '../clock.ts';
import { Counters } from '../counts.ts';
import type { Alarm } from '../loop/alarm.ts';
import { runBatches } from '../loop/batch.ts';
import { Canaries } from '../loop/canaries.ts';
import { Watched } from '../loop/watched.ts';
import { ClosedLoop } from '../loop/closed-loop.ts';
import { Health } from '../loop/health.ts';
import { OpenLoop } from '../loop/open-loop.ts';
import { type Pace, createSlot, runSlot } from '../loop/slot.ts';
import type { LoopSession, Slot } from '../loop/slot-state.ts';
import type { LoadModules } from '../modules.ts';
import { Recorder } from '../recorder.ts';
import { closeSessions } from '../session-waits.ts';
import {
  type Assignment,
  type LiveBlocks,
  type WorkerEvent,
  type WorkerReport,
  liveBlocks,
} from './messages.ts';

/** The part of the warm-up over which a closed loop's slots begin. */
const startSpreadMsMax = 100;
/** Closing thousands of sessions holds this thread up: only once it was said that the window has ended. */
const saidMsMax = 25;

type Stage = 'warmup' | 'window' | 'drain' | 'over';

interface Connected extends LoadModules {
  readonly sessions: readonly DataPlane[];
  /** Of an open loop. */
  readonly alarm: Alarm | null;
}

/** The load of connected sessions. */
export class Load {
  readonly #drainMs: number;
  readonly #emit: (event: WorkerEvent) => void;
  readonly #sessions: readonly DataPlane[];
  /** One for each request of a session that can be outstanding: the first of its batch. */
  readonly #starters: readonly Slot[];
  readonly #slots: readonly Slot[];
  readonly #log: OutcomeLog | null;
  readonly #blocks: LiveBlocks;
  readonly #recorder: Recorder;
  readonly #health: Health;
  readonly #pace: Pace;
  readonly #canaries: Canaries;
  readonly #alarm: Alarm | null;
  #stage: Stage = 'warmup';
  #timer: NodeJS.Timeout | undefined;
  #utilizationFrom = performance.eventLoopUtilization();
  #utilization = 0;
  #closed: Promise<void> | undefined;

  constructor(
    assignment: Assignment,
    { workload, canaries, sessions, alarm }: Connected,
    emit: (event: WorkerEvent) => void,
  ) {
    const { plan, sessionFirst } = assignment;
    this.#drainMs = plan.timing.drainMs;
    this.#emit = emit;
    this.#sessions = sessions;
    const logOptions = { sessions: plan.sessions, threads: plan.threads, changed: plan.changed };
    this.#log = plan.logPath === null ? null : new OutcomeLog(workload, logOptions);
    const watched = new Watched(
      plan,
      () => ({
        sessions: [sessionFirst, sessionFirst + sessions.length - 1],
        drawnMost: this.#slots.reduce((most, { sequence }) => Math.max(most, sequence), 0),
      }),
      (acknowledged) => emit({ type: 'acknowledged', ...acknowledged }),
    );
    const owners = sessions.map((session, offset) => {
      const number = sessionFirst + offset;
      const stream = createStream(workload, { session: number, sessions: plan.sessions });
      const log = this.#log?.open(number) ?? noLog;
      return { session, number, watched: watched.of(number), stream, log, failing: false };
    });
    this.#starters = startersOf(owners, plan, workload);
    this.#slots = this.#starters.flatMap((slot) => (slot.batch.length === 0 ? slot : slot.batch));
    this.#blocks = liveBlocks(assignment.live);
    this.#recorder = new Recorder(
      {
        operationMs: plan.timing.operationMs,
        windowMsMax: plan.timing.windowMsMax,
        trialMsMax: trialMsMax(plan.timing),
      },
      this.#blocks,
      { counters: new Counters(workload), operations: workload.operations.length },
      watched,
      () => setImmediate(() => this.#advance()),
    );
    this.#health = new Health(owners, {
      lost: (message) => emit({ type: 'lost', message }),
      recovered: () => emit({ type: 'recovered' }),
    });
    this.#alarm = alarm;
    this.#pace = this.#createPace(assignment);
    const { thread } = assignment;
    const own = canaries.filter(({ number }) => number % plan.threads === thread);
    this.#canaries = new Canaries(
      own,
      plan.canaries.length,
      { sessions, inBatches: plan.batch > 1 },
      (outcome) => emit({ type: 'canary', ...outcome }),
    );
  }

  begin(startMs: number): void {
    this.#recorder.begin(startMs);
    this.#pace.begin(startMs);
  }

  setWindow(fromMs: number, untilMs: number): void {
    this.#recorder.windowFromMs = fromMs;
    this.#recorder.windowUntilMs = untilMs;
    this.#pace.setWindow(fromMs, untilMs);
    this.#advance();
  }

  async abort(): Promise<void> {
    this.#stop();
    await this.#close();
    this.#emit({ type: 'aborted' });
  }

  #createPace(assignment: Assignment): Pace {
    const { plan, sessionFirst, sessionCount } = assignment;
    const fail = (error: unknown): void => this.#fail(error);
    const runRequests = plan.batch === 1 ? runSlot : runBatches;
    const isAlone = this.#slots.length === 1;
    const run = (slot: Slot, dueMs: number): void => {
      const context = { recorder: this.#recorder, pace: this.#pace, health: this.#health, isAlone, fail };
      void runRequests(slot, context, dueMs);
    };
    if (plan.loop.kind === 'closed' || this.#alarm === null) {
      const spreadMs = Math.min(startSpreadMsMax, plan.timing.warmupMs / 2);
      return new ClosedLoop(spreadMs, this.#starters, run);
    }
    const intervalMs = (1000 * plan.batch * plan.sessions) / (plan.loop.ratePerSecond * sessionCount);
    const offsetMs = (intervalMs * sessionFirst) / plan.sessions;
    return new OpenLoop({ intervalMs, offsetMs, operations: plan.batch }, this.#starters, this.#alarm, run);
  }

  /** Enters the phases that are due, and sets the timer for the next. */
  #advance(): void {
    clearTimeout(this.#timer);
    const nowMs = performance.now();
    const { windowFromMs, windowUntilMs } = this.#recorder;
    if (this.#stage === 'warmup' && nowMs >= windowFromMs) {
      this.#stage = 'window';
      this.#canaries.begin(windowFromMs, windowUntilMs);
      this.#utilizationFrom = performance.eventLoopUtilization();
    }
    if (this.#stage === 'window' && nowMs >= windowUntilMs) {
      this.#stage = 'drain';
      this.#utilization = performance.eventLoopUtilization(this.#utilizationFrom).utilization;
      this.#pace.end();
      this.#canaries.end(() => setImmediate(() => this.#advance()));
      this.#health.wake();
    }
    const drainEndMs = windowUntilMs + this.#drainMs;
    const drained = this.#recorder.outstanding === 0 && !this.#canaries.outstanding;
    if (this.#stage === 'drain' && (drained || nowMs >= drainEndMs)) {
      void this.#finish(nowMs);
    }
    const nextMs = { warmup: windowFromMs, window: windowUntilMs, drain: drainEndMs, over: Infinity }[
      this.#stage
    ];
    if (nextMs < Infinity) this.#timer = setTimeout(() => this.#advance(), nextMs - nowMs);
  }

  async #finish(nowMs: number): Promise<void> {
    this.#stage = 'over';
    try {
      for (const slot of this.#slots) if (slot.busy) this.#recorder.giveUp(slot, nowMs);
      this.#recorder.close();
      await sleep(Math.max(0, this.#recorder.windowUntilMs + saidMsMax - nowMs));
      await this.#close();
      this.#emit({ type: 'report', report: this.#report(nowMs) });
    } catch (error) {
      this.#emit({ type: 'failed', reason: messageOf(error) });
    }
  }

  #report(nowMs: number): WorkerReport {
    return {
      ...this.#recorder.recording(this.#pace.offered()),
      window: this.#blocks.window,
      total: this.#blocks.total,
      endedMs: toSharedMs(nowMs),
      loopUtilization: Math.min(1, Math.max(0, this.#utilization)),
      log: this.#log?.encode() ?? [],
    };
  }

  #fail(error: unknown): void {
    if (this.#stage === 'over') return;
    this.#stop();
    this.#emit({ type: 'failed', reason: messageOf(error) });
  }

  #close(): Promise<void> {
    this.#closed ??= Promise.all([closeSessions(this.#sessions), this.#alarm?.close()]).then(() => undefined);
    return this.#closed;
  }

  #stop(): void {
    this.#stage = 'over';
    clearTimeout(this.#timer);
    this.#recorder.close();
    this.#pace.setWindow(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
    this.#pace.end();
    this.#canaries.end(() => undefined);
    this.#health.wake();
  }
}

/** Ordered by slots, so that the sessions take turns from the start. */
function startersOf(
  owners: readonly LoopSession[],
  { depth, batch }: Pick<TrialPlan, 'depth' | 'batch'>,
  workload: PlannedWorkload,
): Slot[] {
  const starters: Slot[] = [];
  for (let place = 0; place < depth; place += 1) {
    for (const owner of owners) {
      const together: Slot[] = [];
      const starter = createSlot(owner, createSlots(workload), together);
      if (batch > 1) together.push(starter);
      while (together.length > 0 && together.length < batch) {
        together.push(createSlot(owner, createSlots(workload)));
      }
      starters.push(starter);
    }
  }
  return starters;
}

/** Replaces the log in a trial that prices the bookkeeping. */
const noLog: SessionLog = { drawn: () => 0, settled: () => undefined };

/** The most that a window's start lies ahead, that its order is waited for, and that timers of a busy thread are late. */
const slackMs = 8000;

/** The longest time from the first operation to the end of the drain: the size of the series. */
function trialMsMax(timing: TrialPlan['timing']): number {
  return Math.max(timing.warmupMs, timing.warmupMsMax) + timing.windowMsMax + timing.drainMs + slackMs;
}
