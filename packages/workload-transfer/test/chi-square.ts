/** Bins of ranks that grow by a third, the first ranks alone: bin b holds the ranks up to `ends[b]`. */
export function logSpacedBins(last: number): number[] {
  const ends: number[] = [];
  for (let end = 1; end < last; end = Math.max(end + 1, Math.floor(end * 1.33))) ends.push(end);
  ends.push(last);
  return ends;
}

/** Probability of each bin where rank k has k^−alpha: generalised harmonic sums, added up directly. */
export function binProbabilities(alpha: number, first: number, ends: readonly number[]): number[] {
  let rank = first;
  const sums = ends.map((end) => {
    let sum = 0;
    for (; rank <= end; rank += 1) sum += rank ** -alpha;
    return sum;
  });
  const total = sums.reduce((a, b) => a + b, 0);
  return sums.map((sum) => sum / total);
}

/** The p-value of Pearson's chi-square; bins that expect fewer than 10 are joined with their neighbours. */
export function chiSquareP(counts: readonly number[], probabilities: readonly number[]): number {
  const draws = counts.reduce((a, b) => a + b, 0);
  let statistic = 0;
  let bins = 0;
  let observed = 0;
  let expected = 0;
  counts.forEach((count, bin) => {
    observed += count;
    expected += draws * (probabilities[bin] ?? 0);
    if (expected < 10) return;
    statistic += (observed - expected) ** 2 / expected;
    bins += 1;
    observed = 0;
    expected = 0;
  });
  // What is left over expects fewer than 10: its surplus still counts.
  statistic += expected > 0 ? (observed - expected) ** 2 / Math.max(expected, 1) : 0;
  return upperGamma((bins - (expected > 0 ? 0 : 1)) / 2, statistic / 2);
}

/** The regularised upper incomplete gamma function Q(a, x), by series or continued fraction (Lentz). */
function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  const front = Math.exp(a * Math.log(x) - x - logGamma(a));
  if (x < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = 1; n < 1000; n += 1) sum += term *= x / (a + n);
    return 1 - sum * front;
  }
  let b = x + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n < 1000; n += 1) {
    const an = -n * (n - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    fraction *= d * c;
  }
  return front * fraction;
}

/** Stirling's series after shifting the argument up. */
function logGamma(x: number): number {
  let shift = 0;
  let z = x;
  for (; z < 10; z += 1) shift -= Math.log(z);
  return shift + (z - 0.5) * Math.log(z) - z + Math.log(2 * Math.PI) / 2 + 1 / (12 * z) - 1 / (360 * z ** 3);
}
