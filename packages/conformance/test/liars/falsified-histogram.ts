import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import type { EncodedHistogram } from '@fair-bench/results';

/** Fewer than the values would raise their mean. */
const stepsMax = 5_000;

/** The true histogram with each value multiplied by `factor`, well-formed, with as many values unless given otherwise. */
export function falsifiedHistogram(
  { count: trueCount, sumUs, maxUs, hdr }: EncodedHistogram,
  factor: number,
  count = trueCount,
): EncodedHistogram {
  const truth = decodeFromCompressedBase64(hdr, 64);
  const falsified = build({ bitBucketSize: 64, autoResize: true, numberOfSignificantValueDigits: 3 });
  const steps = Math.min(count, stepsMax);
  let recorded = 0;
  for (let step = 1; step <= steps; step += 1) {
    const until = Math.floor((count * step) / steps);
    if (until === recorded) continue;
    const us = Math.round(truth.getValueAtPercentile((step / steps) * 100) * factor);
    falsified.recordValueWithCount(us, until - recorded);
    recorded = until;
  }
  return {
    count,
    sumUs: trueCount === 0 ? 0 : (sumUs * factor * count) / trueCount,
    maxUs: maxUs * factor,
    hdr: encodeIntoCompressedBase64(falsified),
  };
}
