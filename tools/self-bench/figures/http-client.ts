import autocannon from 'autocannon';
import type { Figure, TrialResult } from '@fair-bench/results';
import { atLeast, atMost } from '../figure.ts';
import { type BenchContext, type BenchTarget, clientCpuUsOf, openBench, median, tpsOf } from '../../bench.ts';

const rounds = 8;
const windowMs = 2000;
const sessions = 50;

/**
 * The Node load client over HTTP against the null server, beside autocannon on the same server; and the
 * same load with and without the audit's bookkeeping. Interleaved, medians of the per-round ratios.
 */
export async function httpClientFigures(context: BenchContext): Promise<readonly Figure[]> {
  const bench = await openBench(context, ['null-http']);
  try {
    const target = await bench.target('null-http');
    const againstRuler: number[] = [];
    const againstPlain: number[] = [];
    const cpuUs: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const ruler = await autocannonRate(target);
      const [result, plain] = await bothWays(target, round);
      againstRuler.push(tpsOf(result) / ruler);
      againstPlain.push(tpsOf(result) / tpsOf(plain));
      cpuUs.push(clientCpuUsOf(result));
    }
    const note = `null server, ${sessions} sessions, depth 1, median of ${rounds} interleaved rounds of ${windowMs} ms`;
    return [
      atLeast('load client against autocannon', median(againstRuler), '×', 0.85, note),
      atMost('load client CPU per operation over HTTP', median(cpuUs), 'µs', 25, note),
      atLeast('throughput with the ledger against without', median(againstPlain), '×', 0.98, note),
    ];
  } finally {
    await bench.close();
  }
}

/** The same trial with the ledger and without, in an order that alternates: neither is always the later. */
async function bothWays(target: BenchTarget, round: number): Promise<readonly [TrialResult, TrialResult]> {
  const without = async (): Promise<TrialResult> =>
    await target.measure({ sessions, windowMs, withoutLedger: true });
  const plainFirst = round % 2 === 1 ? await without() : null;
  const result = await target.measure({ sessions, windowMs });
  return [result, plainFirst ?? (await without())];
}

/** Requests per second, after as much warm-up as the load client has. */
async function autocannonRate(target: BenchTarget): Promise<number> {
  await runAutocannon(target, 1);
  return await runAutocannon(target, windowMs / 1000);
}

async function runAutocannon({ deployment }: BenchTarget, durationS: number): Promise<number> {
  const result = await autocannon({
    url: `${deployment.endpoint.url.replace(/\/$/, '')}/transfer`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ source: 1, target: 2, amount: '1' }),
    connections: sessions,
    duration: durationS,
  });
  if (result.errors > 0 || result.non2xx > 0) {
    throw new Error(
      `autocannon: ${result.errors} errors, ${result.non2xx} refusals; is the null server well?`,
    );
  }
  return result['2xx'] / result.duration;
}
