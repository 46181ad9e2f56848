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
 * Sends the canaries of one thread in the timed sessions, behind their outstanding operations, in the middle of every
 * `everyMs` of the window. One is outstanding at a time; those due meanwhile are skipped. They bypass slots and
 * recorder, so no operation of the load passes through here.
 */
export class Canaries {
  readonly #everyMs: number;
  readonly #all: readonly Canary[];
  readonly #sessions: readonly DataPlane[];
  readonly #settled: (outcome: CanaryOutcome) => void;
  #timer: NodeJS.Timeout | undefined;
  #outstanding = false;
  #idle: () => void = () => undefined;

  constructor(
    everyMs: number,
    all: readonly Canary[],
    sessions: readonly DataPlane[],
    settled: (outcome: CanaryOutcome) => void,
  ) {
    this.#everyMs = everyMs;
    this.#all = all;
    this.#sessions = sessions;
    this.#settled = settled;
  }

  get outstanding(): boolean {
    return this.#outstanding;
  }

  /** The window has begun, by this thread's clock. */
  begin(fromMs: number): void {
    this.#arm(fromMs, 0);
  }

  /** Sends no more; `idle` is called when the one that is outstanding has settled. */
  end(idle: () => void): void {
    clearTimeout(this.#timer);
    this.#idle = idle;
  }

  #arm(fromMs: number, next: number): void {
    const canary = this.#all[next];
    if (canary === undefined) return;
    const dueMs = fromMs + (canary.number + 0.5) * this.#everyMs;
    this.#timer = setTimeout(() => {
      if (!this.#outstanding) void this.#send(canary);
      this.#arm(fromMs, next + 1);
    }, dueMs - performance.now());
  }

  async #send({ number, operation, values }: Canary): Promise<void> {
    const session = this.#sessions[(number * sessionStride) % this.#sessions.length];
    if (session === undefined) return;
    this.#outstanding = true;
    const outcome = await session.execute(operation, values).then(
      ({ kind }) => kind,
      () => 'fault' as const,
    );
    this.#settled({ number, outcome, atMs: toSharedMs(performance.now()) });
    this.#outstanding = false;
    this.#idle();
  }
}
