import type { Figure } from '@fair-bench/results';
import { decodeHistogram } from '@fair-bench/load-client';
import { type BenchContext, openBench } from '../../bench.ts';
import { atMost } from '../figure-bench.ts';

const delayMs = 5;
const errorMsMax = delayMs * 0.02 + 0.3;

/** A known delay must come out as that latency: what the harness adds is its own error. */
export async function delayFigures(context: BenchContext): Promise<readonly Figure[]> {
  const bench = await openBench(context, ['null-http'], { delayMs: String(delayMs) });
  try {
    const target = await bench.target('null-http');
    const { result } = await target.measure({ sessions: 50, depth: 1, windowMs: 5000 });
    const histogram = decodeHistogram(result.latency.applied);
    if (histogram === null) throw new Error('the null server applied nothing');
    const note = `null server with a delay of ${delayMs} ms, 50 sessions, depth 1`;
    return [50, 99].map((percentile) => {
      const error = Math.abs(histogram.percentileMs(percentile) - delayMs);
      return atMost(`error of p${percentile} at a known delay`, error, 'ms', errorMsMax, note);
    });
  } finally {
    await bench.close();
  }
}
