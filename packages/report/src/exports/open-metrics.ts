import type { RunSummary } from '@fair-bench/results';
import { Gauge, Registry } from 'prom-client';

const labels = ['target', 'workload', 'mode', 'cell'];

/** Text in OpenMetrics (https://prometheus.io/docs/specs/om/open_metrics_spec/): gauges of each measured cell. */
export async function openMetrics({ run, cells, verdict }: RunSummary): Promise<string> {
  const registry = new Registry<'application/openmetrics-text; version=1.0.0; charset=utf-8'>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const gauge = (name: string, help: string, more: readonly string[] = []): Gauge =>
    new Gauge({ name: `fair_bench_${name}`, help, labelNames: [...labels, ...more], registers: [registry] });
  const fair = new Gauge({
    name: 'fair_bench_fair',
    help: '1 where the comparison was fair',
    labelNames: ['workload', 'mode'],
    registers: [registry],
  });
  fair.set({ workload: run.workload, mode: run.mode }, verdict.label === 'NOT FAIR' ? 0 : 1);
  const throughput = gauge('operations_per_second', 'Applied operations per second: the mean over trials');
  const bound = gauge('operations_per_second_bound', 'The 95 % confidence interval of the mean', ['bound']);
  const latency = gauge('latency_seconds', 'Latency of all operations', ['quantile']);
  for (const cell of cells) {
    if (cell.status !== 'ok') continue;
    const of = { target: cell.target, workload: run.workload, mode: run.mode, cell: cell.id };
    throughput.set(of, cell.tps.mean);
    for (const [place, end] of ['lower', 'upper'].entries()) {
      const value = cell.tps.ci95?.[place];
      if (value !== undefined) bound.set({ ...of, bound: end }, value);
    }
    const { p50, p95, p99 } = cell.latencyMs;
    for (const [quantile, ms] of [
      ['0.5', p50],
      ['0.95', p95],
      ['0.99', p99],
    ] as const)
      latency.set({ ...of, quantile }, ms / 1000);
  }
  return await registry.metrics();
}
