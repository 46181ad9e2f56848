/** An operation on one number that operations only add to. */
export interface Step {
  /** Its rules permit it from this value on; null where they permit any. */
  readonly least: bigint | null;
  /** What it adds. */
  readonly delta: bigint;
  /** Whether it may not have happened. */
  readonly doubt: boolean;
}

/** A step that every order refuses, and the most that the number can be when it happens. */
export interface Refused<S> {
  readonly step: S;
  readonly most: bigint;
}

/**
 * Whether some order of the steps leads from `initial` to `final` and permits each; a step that every order refuses if
 * not. Exact where no step is in doubt, in n log n; one in doubt counts where it helps.
 *
 * Proof. A step that does not lower the number, moved before one that lowers it, finds no less than before and leaves
 * the other no less: so those that raise come first. Of two neighbours that raise, the one with the smaller `least` may
 * be first: where the other order is permitted, both find enough. After the last of these the number is `final` plus all
 * that is taken, in any order. One that takes t and needs `least` before it leaves at least r = least − t. Of two
 * neighbours with r₁ ≥ r₂ that end at the value v, the order 1, 2 needs v + t₂ ≥ r₁ and v ≥ r₂; the order 2, 1 needs
 * v + t₁ ≥ r₂ and v ≥ r₁, which implies both. So r falls from first to last, and seen from the end it rises.
 */
export function refusedStep<S extends Step>(
  steps: readonly S[],
  initial: bigint,
  final: bigint,
): Refused<S> | null {
  const raising = steps.filter(({ delta }) => delta >= 0n);
  const lowering = steps.filter(({ delta }) => delta < 0n);
  return (
    firstRefused(raising, initial, ({ least }) => least, 1n) ??
    firstRefused(lowering, final, ({ least, delta }) => (least === null ? null : least + delta), -1n)
  );
}

/** Takes the steps in the order of what they need, each from what the earlier ones made of `start`. */
function firstRefused<S extends Step>(
  steps: readonly S[],
  start: bigint,
  needs: (step: S) => bigint | null,
  sign: 1n | -1n,
): Refused<S> | null {
  let value = start;
  for (const step of steps.toSorted((a, b) => ascending(needs(a), needs(b)))) {
    const least = needs(step);
    if (least === null || value >= least) value += sign * step.delta;
    else if (!step.doubt) return { step, most: sign === 1n ? value : value - step.delta };
  }
  return null;
}

function ascending(a: bigint | null, b: bigint | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
