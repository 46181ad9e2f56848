import type { DataPlane, OperationOutcome, Values } from '@fair-bench/contract';
import { toSharedMs } from '../clock.ts';

export interface Canary {
  readonly number: number;
  readonly operation: number;
  readonly values: Values;
}

export interface CanaryOutcome {
  readonly number: number;
  readonly outcome: OperationOutcome['kind'];
  /** By the shared clock. */
  readonly atMs: number;
}

/** Canary n uses this session of its thread: the stride spreads a few canaries over many sessions. */
const sessionStride = 7;

/**
 * Sends the canaries of one thread in the timed sessions, behind their outstanding operations, each in the middle of
 * its share of the window. One is outstanding at a time; those due meanwhile are skipped. They bypass slots and
 * recorder, so no operation of the load passes through here.
 */
export class Canaries {
  readonly #own: readonly Canary[];
  readonly #count: number;
  readonly #sessions: readonly DataPlane[];
  readonly #inBatches: boolean;
  readonly #settled: (outcome: CanaryOutcome) => void;
  #timer: NodeJS.Timeout | undefined;
  #outstanding = false;
  #idle: () => void = () => undefined;

  /** `count` is the number of canaries of all threads; where the load goes in batches, each canary is a batch of one. */
  constructor(
    own: readonly Canary[],
    count: number,
    { sessions, inBatches }: { readonly sessions: readonly DataPlane[]; readonly inBatches: boolean },
    settled: (outcome: CanaryOutcome) => void,
  ) {
    this.#own = own;
    this.#count = count;
    this.#sessions = sessions;
    this.#inBatches = inBatches;
    this.#settled = settled;
  }

  get outstanding(): boolean {
    return this.#outstanding;
  }

  /** The window has begun, by this thread's clock. */
  begin(fromMs: number, untilMs: number): void {
    this.#arm(fromMs, (untilMs - fromMs) / this.#count, 0);
  }

  /** Sends no more; `idle` is called when the one that is outstanding has settled. */
  end(idle: () => void): void {
    clearTimeout(this.#timer);
    this.#idle = idle;
  }

  #arm(fromMs: number, everyMs: number, next: number): void {
    const canary = this.#own[next];
    if (canary === undefined) return;
    const dueMs = fromMs + (canary.number + 0.5) * everyMs;
    this.#timer = setTimeout(() => {
      if (!this.#outstanding) void this.#send(canary);
      this.#arm(fromMs, everyMs, next + 1);
    }, dueMs - performance.now());
  }

  async #send({ number, operation, values }: Canary): Promise<void> {
    const session = this.#sessions[(number * sessionStride) % this.#sessions.length];
    if (session === undefined) return;
    this.#outstanding = true;
    const sent = this.#inBatches
      ? session.executeBatch?.([{ operation, values }]).then(([outcome]) => outcome)
      : session.execute(operation, values);
    const outcome = await Promise.resolve(sent).then(
      (one) => one?.kind ?? 'fault',
      () => 'fault' as const,
    );
    this.#settled({ number, outcome, atMs: toSharedMs(performance.now()) });
    this.#outstanding = false;
    this.#idle();
  }
}
