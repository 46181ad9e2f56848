import type { RunSummary } from '@fair-bench/results';

/**
 * What github-action-benchmark reads as `customBiggerIsBetter` (https://github.com/benchmark-action/github-action-benchmark): each
 * measured cell with its throughput, and half of the interval as its range.
 */
export function benchmarkJson({ run, cells, verdict }: RunSummary): string {
  const measured = cells.flatMap((cell) => {
    if (cell.status !== 'ok') return [];
    const { mean, ci95 } = cell.tps;
    return [
      {
        name: `${run.workload} ${cell.id}`,
        unit: 'operations/s',
        value: mean,
        ...(ci95 === null ? {} : { range: `± ${(((ci95[1] - ci95[0]) / 2 / mean) * 100).toPrecision(3)} %` }),
        extra: `${verdict.label}, p99 ${cell.latencyMs.p99.toPrecision(3)} ms`,
      },
    ];
  });
  return `${JSON.stringify(measured, null, 2)}\n`;
}
