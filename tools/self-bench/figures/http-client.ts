import autocannon from 'autocannon';
import type { Figure } from '@fair-bench/results';
import { atLeast, atMost } from '../figure-bench.ts';
import {
  type BenchContext,
  type BenchTarget,
  clientCpuUsOf,
  median,
  openBench,
  pairOf,
} from '../../bench.ts';
import { oneRequest, type RpcRequest } from '../../requests.ts';

const rounds = 8;
const windowMs = 2000;
const sessions = 50;

/**
 * The Node load client over HTTP against the null server, beside autocannon on the same server; and the
 * same load with and without the audit's bookkeeping. Interleaved, medians of the per-round ratios.
 */
export async function httpClientFigures(context: BenchContext): Promise<readonly Figure[]> {
  await using bench = await openBench(context, ['null-http']);
  const target = await bench.target('null-http');
  const request = await oneRequest(context.root);
  const againstAutocannon: number[] = [];
  const againstUnaudited: number[] = [];
  const cpuUs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const autocannonTps = await autocannonRate(target, request);
    const load = { sessions, windowMs };
    const audited = async () => await target.measure(load);
    const [trial, unauditedTps] = await pairOf(round, audited, async () => await target.rateWithoutLog(load));
    againstAutocannon.push(trial.tps / autocannonTps);
    againstUnaudited.push(trial.tps / unauditedTps);
    cpuUs.push(clientCpuUsOf(trial));
  }
  const note = `null server, ${sessions} sessions, depth 1, median of ${rounds} interleaved rounds of ${windowMs} ms`;
  return [
    atLeast('load client against autocannon', median(againstAutocannon), '×', 0.85, note),
    atMost('load client CPU per operation over HTTP', median(cpuUs), 'µs', 25, note),
    atLeast('throughput with the outcome log against without', median(againstUnaudited), '×', 0.98, note),
  ];
}

/** Requests per second, after the same warm-up as the load client's. */
async function autocannonRate(target: BenchTarget, request: RpcRequest): Promise<number> {
  await runAutocannon(target, request, 1);
  return await runAutocannon(target, request, windowMs / 1000);
}

async function runAutocannon(
  { deployment }: BenchTarget,
  [path, body]: RpcRequest,
  durationS: number,
): Promise<number> {
  const result = await autocannon({
    url: `${deployment.endpoint.url.replace(/\/$/, '')}${path}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
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
