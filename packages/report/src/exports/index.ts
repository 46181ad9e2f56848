import type { RunSummary } from '@fair-bench/results';
import { benchmarkJson } from './benchmark-json.ts';
import { resultsCsv } from './results-csv.ts';
import { junitXml } from './junit-xml.ts';
import { openMetrics } from './open-metrics.ts';

/** The summary in the formats that other programs read, by the names of the files beside `summary.json`. */
export async function exportsOf(summary: RunSummary): Promise<Readonly<Record<string, string>>> {
  return {
    'junit.xml': junitXml(summary),
    'results.csv': resultsCsv(summary),
    'github-action-benchmark.json': benchmarkJson(summary),
    'metrics.txt': await openMetrics(summary),
  };
}
