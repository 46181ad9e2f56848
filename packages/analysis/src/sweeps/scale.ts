/** How far apart two steps may be that were meant to be one: whole numbers are rounded. */
const stepTolerance = 0.02;

/** The scale on which a parameter was swept: where shares and interpolation are linear. */
export interface Scale {
  readonly name: 'linear' | 'log';
  readonly toScale: (x: number) => number;
  readonly fromScale: (position: number) => number;
}

const linear: Scale = { name: 'linear', toScale: (x) => x, fromScale: (position) => position };
const log: Scale = { name: 'log', toScale: Math.log, fromScale: Math.exp };

/** Logarithmic where each value is the one before times a constant; linear otherwise. */
export function scaleOf(ascending: readonly number[]): Scale {
  const factors = ascending.slice(1).map((x, index) => x / (ascending[index] ?? x));
  const [first] = factors;
  if (first === undefined || ascending.some((x) => x <= 0)) return linear;
  return factors.every((factor) => Math.abs(factor / first - 1) <= stepTolerance) ? log : linear;
}
