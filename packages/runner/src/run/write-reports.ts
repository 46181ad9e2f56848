import { join } from 'node:path';
import { type RunSummary, type TrialRecord, runSummarySchema, writeWhole } from '@fair-bench/results';
import { renderMarkdown } from '@fair-bench/report';

/**
 * Writes `summary.json`, validated, the reports, and the formats for other programs into the run's folder, each completely or not at
 * all. Rejects with a ZodError before anything is written if the summary is invalid, and with the system's error if
 * the folder cannot be written.
 */
export async function writeReports(
  directory: string,
  summary: RunSummary,
  trials: readonly TrialRecord[],
): Promise<void> {
  const valid = runSummarySchema.parse(summary);
  await writeWhole(join(directory, 'summary.json'), `${JSON.stringify(valid, null, 2)}\n`);
  await writeMarkdown(directory, valid);
  // Loaded here, because few commands write them.
  const { exportsOf } = await import('@fair-bench/report/exports');
  for (const [name, text] of Object.entries(await exportsOf(valid)))
    await writeWhole(join(directory, name), text);
  await writeHtml(join(directory, 'report.html'), valid, trials);
}

/** Writes the report as one HTML file. */
export async function writeHtml(
  path: string,
  summary: RunSummary,
  trials: readonly TrialRecord[],
): Promise<void> {
  // Loaded here, because no other command draws charts.
  const { renderHtml } = await import('@fair-bench/report/html');
  await writeWhole(path, renderHtml(summary, trials));
}

export async function writeMarkdown(directory: string, summary: RunSummary): Promise<void> {
  await writeWhole(join(directory, 'report.md'), renderMarkdown(summary));
}
