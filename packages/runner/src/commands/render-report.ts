import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type RunSummary, readArtifacts, readSummary } from '@fair-bench/results';
import { InputError, messageOf } from '@fair-bench/contract';
import { type TerminalOptions, renderTerminal } from '@fair-bench/report';
import { summarize } from '@fair-bench/analysis';
import { writeHtml, writeMarkdown } from '../run/write-reports.ts';

/**
 * Reads a run's artifacts again, summarizes them anew, renews `report.md` and gives the report for a
 * terminal. The trials are the truth: when `summary.json` says something else, the report opens with that,
 * and the file is left as it is. Rejects with an InputError for a folder that holds no whole run.
 */
export async function renderReport(directory: string, options: TerminalOptions): Promise<string> {
  const saved = await readSummary(directory);
  const summary = summarize(await readArtifacts(directory));
  await writeMarkdown(directory, summary);
  const text = renderTerminal(summary, options);
  return `${warningOf(directory, saved, summary)}${text}`;
}

/**
 * The same as one HTML file: into `file`, or renewing the run's own `report.html`. Gives what is to be said of
 * it. Rejects with an InputError for a folder that holds no whole run, or a file that cannot be written.
 */
export async function renderHtmlReport(directory: string, file: string | undefined): Promise<string> {
  const saved = await readSummary(directory);
  const artifacts = await readArtifacts(directory);
  const summary = summarize(artifacts);
  const path = resolve(file ?? join(directory, 'report.html'));
  await writeHtml(path, summary, artifacts.trials).catch((error: unknown) => {
    throw new InputError(`--out: got "${path}"; accepts a file that can be written: ${messageOf(error)}`, {
      cause: error,
    });
  });
  return `${warningOf(directory, saved, summary)}${path}`;
}

function warningOf(directory: string, saved: RunSummary, summary: RunSummary): string {
  if (isDeepStrictEqual(substanceOf(saved), substanceOf(summary))) return '';
  return `summary.json DIFFERS from what the trials in ${directory} say; this is what they say:\n\n`;
}

/** What a summary claims; words of the parity table may change from one version of this software to the next. */
function substanceOf({ cells, comparisons, verdict, explanation, claim, sweeps }: RunSummary): unknown {
  return { cells, comparisons, fair: verdict.fair, explanation, claim, sweeps };
}
