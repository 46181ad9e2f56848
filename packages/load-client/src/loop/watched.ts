import type { TrialPlan } from '@fair-bench/results/protocol';
import { toSharedMs } from '../clock.ts';

export interface Acknowledged {
  readonly session: number;
  readonly sequence: number;
  /** Its reply's time by the shared clock. */
  readonly atMs: number;
  /** The first and the last session of the thread. */
  readonly sessions: [number, number];
  /** No session of the thread had drawn an operation beyond this one then. */
  readonly drawnMost: number;
}

type Progress = Pick<Acknowledged, 'sessions' | 'drawnMost'>;

const none: ReadonlySet<number> = new Set();

/**
 * Reports acknowledgements of operations that the plan lists, so that another connection can look whether they were
 * done. The operations themselves pass as all others do: a session cannot see which are listed.
 */
export class Watched {
  readonly #everyMs: number;
  readonly #bySession: ReadonlyMap<number, ReadonlySet<number>>;
  readonly #drawn: () => Progress;
  readonly #report: (acknowledged: Acknowledged) => void;
  #nextMs = 0;

  /** `drawn`: how far the sessions of this thread are. */
  constructor(
    { watched, threads }: TrialPlan,
    drawn: () => Progress,
    report: (acknowledged: Acknowledged) => void,
  ) {
    this.#everyMs = (watched?.everyMs ?? 0) * threads;
    this.#bySession = new Map(
      (watched?.operations ?? []).map(([session, ...sequences]) => [session, new Set(sequences)]),
    );
    this.#drawn = drawn;
    this.#report = report;
  }

  /** The numbers of a session's listed operations. */
  of(session: number): ReadonlySet<number> {
    return this.#bySession.get(session) ?? none;
  }

  /** A listed operation was applied in the window, by this thread's clock. Its time is drawn: no rhythm shows the next. */
  acknowledged(session: number, sequence: number, nowMs: number): void {
    if (nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + this.#everyMs * (0.5 + Math.random());
    this.#report({ session, sequence, atMs: toSharedMs(nowMs), ...this.#drawn() });
  }
}
