import { type OperationCounts, type Sample, shareOf, type TrialPlan } from '@fair-bench/results/protocol';
import type { PlannedWorkload } from '@fair-bench/workload/client';
import { Counters, latencyIndex } from './counts.ts';
import { withoutCredentials } from './errors.ts';
import { type Member, inlineMember, threadMember } from './worker/member.ts';
import {
  type WorkerCommand,
  type WorkerEvent,
  type WorkerReport,
  createLive,
  liveBlocks,
} from './worker/messages.ts';

/** How far in the future an agreed time must lie, so that all threads hear of it before. */
const threadLeadMs = 50;

/** What another connection can look for at once. */
type SettledEvent = Extract<WorkerEvent, { type: 'canary' | 'acknowledged' }>;

/** The workers of a trial: one in this thread, or several in their own threads. */
export class Workers {
  /** Aborted with the reason when a worker fails or the target is dead: the trial has no result. */
  readonly failure: AbortSignal;
  readonly leadMs: number;
  readonly #plan: TrialPlan;
  readonly #settled: (event: SettledEvent) => void;
  readonly #counters: Counters;
  readonly #controller = new AbortController();
  readonly #members: Member[] = [];
  readonly #totals: Float64Array[] = [];
  readonly #connected = Promise.withResolvers<void>();
  readonly #reported = Promise.withResolvers<WorkerReport[]>();
  readonly #aborted = Promise.withResolvers<void>();
  readonly #reports = new Map<number, WorkerReport>();
  readonly #lost = new Map<number, string>();
  #connectedCount = 0;
  #openMs: number | null = null;
  #abortedCount = 0;
  #deathTimer: NodeJS.Timeout | undefined;

  constructor(plan: TrialPlan, workload: PlannedWorkload, settled: (event: SettledEvent) => void) {
    this.#plan = plan;
    this.#settled = settled;
    this.#counters = new Counters(workload);
    this.failure = this.#controller.signal;
    this.leadMs = plan.threads === 1 ? 0 : threadLeadMs;
    const createMember = plan.threads === 1 ? inlineMember : threadMember;
    const share = shareOf(plan);
    const firstOf = (number: number): number =>
      share.sessionFirst + Math.floor((share.sessionCount * number) / plan.threads);
    for (let number = 0; number < plan.threads; number += 1) {
      const sessionFirst = firstOf(number);
      const sessionUntil = firstOf(number + 1);
      const live = createLive(this.#counters.length);
      this.#totals.push(liveBlocks(live).total);
      const sessionCount = sessionUntil - sessionFirst;
      const assignment = { plan, thread: number, sessionFirst, sessionCount, live };
      this.#members.push(createMember(assignment, (event) => this.#hear(number, event)));
    }
  }

  /** Resolves when every session is connected. */
  connected(): Promise<void> {
    return this.#connected.promise;
  }

  /** The longest time that opening an engine took; null where sessions speak to a server. */
  get openMs(): number | null {
    return this.#openMs;
  }

  /** Sends the first operations, at that time of the shared clock. */
  begin(atMs: number): void {
    this.#sendAll({ type: 'begin', atMs });
  }

  setWindow(fromMs: number, untilMs: number): void {
    this.#sendAll({ type: 'window', fromMs, untilMs });
  }

  /** Everything counted so far. */
  counts(): OperationCounts {
    const sum = { applied: 0, declined: 0, faults: 0 };
    for (const total of this.#totals) {
      const counts = this.#counters.kindCounts(total);
      sum.applied += counts.applied;
      sum.declined += counts.declined;
      sum.faults += counts.faults;
    }
    return sum;
  }

  /** The same for the leader of the trial. */
  work(): Omit<Sample, 'elapsedMs'> {
    const { applied, declined, faults } = this.counts();
    const latencyMs = this.#totals.reduce((sum, total) => sum + (total[latencyIndex] ?? 0), 0);
    return { applied, completed: applied + declined + faults, latencyMs };
  }

  /**
   * Resolves when every worker has drained and closed its sessions, with the reports in the order of the sessions.
   * Rejects when a worker is late.
   */
  async reports(timeoutMs: number): Promise<WorkerReport[]> {
    const late = bounded(timeoutMs).then(() => {
      const missing = this.#plan.threads - this.#reports.size;
      throw new Error(`${missing} of ${this.#plan.threads} threads gave no report within ${timeoutMs} ms`);
    });
    return Promise.race([this.#reported.promise, late]);
  }

  /** Ends what is left, in any state of the trial. May be called after everything is over. */
  async end(): Promise<void> {
    clearTimeout(this.#deathTimer);
    if (this.#reports.size < this.#members.length) {
      this.#sendAll({ type: 'abort' });
      await Promise.race([this.#aborted.promise, this.#reported.promise, bounded(abortMsMax)]);
    }
    await Promise.all(this.#members.map(async (member) => member.end()));
  }

  #sendAll(command: WorkerCommand): void {
    for (const member of this.#members) member.send(command);
  }

  #hear(number: number, event: WorkerEvent): void {
    switch (event.type) {
      case 'connected':
        this.#connectedCount += 1;
        if (event.openMs !== null) this.#openMs = Math.max(this.#openMs ?? 0, event.openMs);
        if (this.#connectedCount === this.#plan.threads) this.#connected.resolve();
        break;
      case 'lost':
        this.#lost.set(number, event.message);
        if (this.#lost.size === this.#plan.threads) this.#expectDeath();
        break;
      case 'recovered':
        this.#lost.delete(number);
        clearTimeout(this.#deathTimer);
        this.#deathTimer = undefined;
        break;
      case 'canary':
      case 'acknowledged':
        this.#settled(event);
        break;
      case 'report':
        this.#reports.set(number, event.report);
        if (this.#reports.size === this.#plan.threads) {
          const inOrder = [...this.#reports.entries()].sort(([a], [b]) => a - b);
          this.#reported.resolve(inOrder.map(([, report]) => report));
        }
        break;
      case 'aborted':
        this.#abortedCount += 1;
        if (this.#abortedCount === this.#plan.threads) this.#aborted.resolve();
        break;
      case 'failed':
        this.#controller.abort(new Error(event.reason));
        break;
      default:
        event satisfies never;
    }
  }

  /** Without one success in the time of an operation's limit, the target is dead. */
  #expectDeath(): void {
    const { operationMs } = this.#plan.timing;
    this.#deathTimer ??= setTimeout(() => {
      const where = withoutCredentials(this.#plan.endpoint.url);
      const message = [...this.#lost.values()].at(-1) ?? '';
      this.#controller.abort(
        new Error(
          `the target at ${where} is gone: all ${shareOf(this.#plan).sessionCount} sessions failed for ` +
            `${operationMs} ms without one good outcome; last fault: ${message}`,
        ),
      );
    }, operationMs);
  }
}

const abortMsMax = 6000;

async function bounded(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
