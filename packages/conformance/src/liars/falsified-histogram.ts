import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import type { EncodedHistogram } from '@fair-bench/results';

const steps = 1_000;

/** A histogram of as many values as the true one, each multiplied by `factor`, in good form. */
export function falsifiedHistogram(
  { count, sumUs, maxUs, hdr }: EncodedHistogram,
  factor: number,
): EncodedHistogram {
  const truth = decodeFromCompressedBase64(hdr, 64);
  const falsified = build({ bitBucketSize: 64, autoResize: true, numberOfSignificantValueDigits: 3 });
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
    sumUs: sumUs * factor,
    maxUs: maxUs * factor,
    hdr: encodeIntoCompressedBase64(falsified),
  };
}
