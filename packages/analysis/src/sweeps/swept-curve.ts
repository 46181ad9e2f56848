import type { ClientName } from '@fair-bench/results';

/** One measured point of a swept curve: what each round reached at `x`, in the order of the rounds. */
export interface SweptPoint {
  readonly x: number;
  readonly cellId: string;
  readonly tps: readonly number[];
  /** Of an open loop: whether the offered rate was achieved. */
  readonly held?: boolean;
}

/** A target's points along a parameter, in ascending order of `x`. */
export interface SweptCurve {
  readonly target: string;
  readonly client: ClientName;
  readonly points: readonly SweptPoint[];
}
