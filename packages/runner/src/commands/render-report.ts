import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type RunSummary, readArtifacts, readSavedSummary } from '@fair-bench/results';
import { InputError, messageOf } from '@fair-bench/contract';
import { type TerminalOptions, renderTerminal } from '@fair-bench/report';
import { summarize } from '@fair-bench/analysis';
import { writeHtml, writeMarkdown } from '../run/write-reports.ts';

/**
 * Reads a run's artifacts, summarizes them again, rewrites `report.md` and returns the report for a terminal. The
 * trials are authoritative: if `summary.json` differs, the report says so first, and the file stays unchanged; of a run that was
 * killed it is missing. Rejects with an InputError for a folder without a run.
 */
export async function renderReport(directory: string, options: TerminalOptions): Promise<string> {
  const saved = await readSavedSummary(directory);
  const summary = summarize(await readArtifacts(directory));
  await writeMarkdown(directory, summary);
  const text = renderTerminal(summary, options);
  return `${warningOf(directory, saved, summary)}${text}`;
}

/**
 * The same as one HTML file: into `file`, or replacing the run's own `report.html`. Returns a message. Rejects with
 * an InputError for a folder without a run, or a file that cannot be written.
 */
export async function renderHtmlReport(directory: string, file: string | undefined): Promise<string> {
  const saved = await readSavedSummary(directory);
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

function warningOf(directory: string, saved: RunSummary | null, summary: RunSummary): string {
  if (saved === null)
    return `the run in ${directory} was killed before its end: this report is of the trials that it finished\n\n`;
  if (isDeepStrictEqual(substanceOf(saved), substanceOf(summary))) return '';
  return `summary.json DIFFERS from the trials in ${directory}; this report is made from the trials:\n\n`;
}

/** The figures of a summary; words may differ between versions of this software. */
function substanceOf({ cells, comparisons, verdict, explanation, claim, sweeps }: RunSummary): unknown {
  const judged = claim && {
    verdict: claim.verdict,
    measured: claim.measured,
    statements: claim.statements?.map(({ verdict: one, measured }) => ({ one, measured })),
    figures: claim.figures.map(({ measuredTps, ci95 }) => ({ measuredTps, ci95 })),
  };
  return { cells, comparisons, fair: verdict.fair, explanation, judged, sweeps };
}
