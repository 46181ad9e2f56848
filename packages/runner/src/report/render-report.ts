import { isDeepStrictEqual } from 'node:util';
import type { RunSummary } from '@fair-bench/contract';
import { terminalOptions } from './terminal-options.ts';
import { readArtifacts, readSummary } from './read-artifacts.ts';
import { summarize } from './summarize.ts';
import { renderTerminal, type TerminalOptions } from './terminal.ts';
import { writeMarkdown } from './write-reports.ts';

/**
 * Reads a run's artifacts again, summarizes them anew, renews `report.md` and gives the report for a
 * terminal. The trials are the truth: when `summary.json` says something else, the report opens with that,
 * and the file is left as it is. Rejects with an InputError for a folder that holds no whole run.
 */
export async function renderReport(
  directory: string,
  options: TerminalOptions = terminalOptions(process.stdout),
): Promise<string> {
  const saved = await readSummary(directory);
  const summary = summarize(await readArtifacts(directory));
  await writeMarkdown(directory, summary);
  const text = renderTerminal(summary, options);
  if (isDeepStrictEqual(substanceOf(saved), substanceOf(summary))) return text;
  return `summary.json DIFFERS from what the trials in ${directory} say; this is what they say:\n\n${text}`;
}

/** What a summary claims; words of the parity table may change from one version of this software to the next. */
function substanceOf({ cells, comparisons, verdict, explanation, claim }: RunSummary): unknown {
  return { cells, comparisons, fair: verdict.fair, explanation, claim };
}
