import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InputError } from '@fair-bench/contract';
import { answerOf, answerTable } from '@fair-bench/report';
import { headlineOverRuns } from '@fair-bench/report/html';
import { type RunSummary, readSummary } from '@fair-bench/results';
import { exitCodes, findRun, renderHtmlReport } from '@fair-bench/runner';
import { chromium } from 'playwright-core';
import { exhibitOf } from './gallery.ts';
import { recordTerminal } from './terminal-recording.ts';

/** The README's runs: their commands, as a reader would type them. */
const commands = {
  fair: ['fair-bench', '--alpha', '0.5', '--depth', '8'],
  explain: ['explain', '--claim', 'keynote-2-2026-05', '--budget', '10m'],
} as const;
type Part = keyof typeof commands;
export const docsParts = ['fair', 'explain', 'terminal'] as const;
/** What `docs/terminal.svg` shows. */
const recorded = 'npm run fair-bench -- --quick';

function commandText(part: Part): string {
  const [command, ...words] = commands[part];
  return `npm run ${command} -- ${words.join(' ')}`;
}

interface RefreshOptions {
  readonly root: string;
  /** What is made anew. */
  readonly parts: readonly (typeof docsParts)[number][];
  /** Existing runs, by part; a part without one is measured now. */
  readonly runs: Readonly<Partial<Record<Part, string | undefined>>>;
  /** Chromium's path. */
  readonly browser: string;
}

/**
 * Renews the README's numbers and pictures, each part from one run, and records a run's terminal. Rejects with an
 * InputError for a run that cannot be shown: interrupted, or without a number.
 */
export async function refreshDocs({ root, parts, runs, browser }: RefreshOptions): Promise<void> {
  const readme = join(root, 'README.md');
  let text = await readFile(readme, 'utf8');
  for (const part of parts) {
    if (part === 'terminal') {
      await recordTerminal(root, recorded, join(root, 'docs', 'terminal.svg'));
      continue;
    }
    const folder = await findRun(root, runs[part] ?? (await measured(root, part)));
    const summary = await readSummary(folder);
    // An existing run may have a report of an older version.
    await renderHtmlReport(folder, undefined);
    await takePictures(join(folder, 'report.html'), join(root, 'docs', part), browser);
    text = withPart(text, part, part === 'fair' ? fairPart(summary) : await explainPart(root, summary));
  }
  await writeFile(readme, text);
}

/** Measures a part with its output visible; returns its folder. */
async function measured(root: string, part: Part): Promise<string> {
  const out = join(root, 'results', `docs-${part}-${Date.now()}`);
  const [command, ...words] = commands[part];
  const child = spawn('npm', ['run', command, '--', ...words, '--out', out], { cwd: root, stdio: 'inherit' });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  // With one void cell an explanation still has an answer; one without an answer is refused later.
  const shown = code === 0 || (part === 'explain' && code === exitCodes.void);
  if (!shown) throw new InputError(`docs:refresh: ${command} ended with ${String(code)}`);
  return out;
}

function withPart(text: string, part: Part, content: string): string {
  const block = new RegExp(`(<!-- ${part}: npm run docs:refresh -->\n)[^]*?(<!-- /${part} -->)`);
  if (!block.test(text)) throw new InputError(`docs:refresh: README.md has no part <!-- ${part}: … -->`);
  return text.replace(block, (_all, begin: string, end: string) => `${begin}\n${content}\n\n${end}`);
}

function fairPart(summary: RunSummary): string {
  return [
    `\`${commandText('fair')}\` took ${minutes(summary)} on ${machine(summary)}:`,
    answerTable(summary),
    picture('fair', 'The report: verdict, findings, throughput, latency and server CPU time'),
  ].join('\n\n');
}

async function explainPart(root: string, summary: RunSummary): Promise<string> {
  const { explanation, claim } = summary;
  if (explanation === undefined) throw new InputError(`docs:refresh: ${summary.run.id} has no explanation`);
  const claimed = claim === undefined ? '' : `claimed ${claim.claimedRatio} ×; `;
  const took = `\`${commandText('explain')}\` took ${minutes(summary)} on ${machine(summary)}.`;
  return [
    (await shownSentences(root, summary)).map((sentence) => `- ${sentence}`).join('\n'),
    picture('explain', `The waterfall of a claim: ${claimed}here ${explanation.ratio.toFixed(1)} ×`),
    took,
  ].join('\n\n');
}

/**
 * The verdict on the claim over all stored runs, which one run cannot give, and the step between the systems in this run:
 * sentences of report and gallery, so that they change with the figures.
 */
async function shownSentences(root: string, summary: RunSummary): Promise<readonly string[]> {
  const { claim } = summary;
  const overRuns = claim === undefined ? null : headlineOverRuns(await exhibitOf(root, claim.name));
  return [...(overRuns === null ? [] : [overRuns]), ...answerOf(summary).findings.slice(0, 1)];
}

function minutes({ run }: RunSummary): string {
  const seconds = Math.round((Date.parse(run.endedAt) - Date.parse(run.startedAt)) / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function machine({ run: { environment, startedAt } }: RunSummary): string {
  const { cpu, fileSystem } = environment;
  return `a machine with ${cpu.cores} cores (${cpu.model}, ${fileSystem.type}) on ${startedAt.slice(0, 10)}`;
}

function picture(name: Part, alt: string): string {
  return `<picture>
  <source media="(prefers-color-scheme: dark)" srcset="docs/${name}-dark.png" />
  <img alt="${alt}" src="docs/${name}-light.png" />
</picture>`;
}

/** The answer of a report and its first chart. */
async function takePictures(report: string, path: string, executablePath: string): Promise<void> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ colorScheme, viewport: { width: 1240, height: 800 } });
      await page.goto(pathToFileURL(report).href);
      const box = await page.locator('.first').boundingBox();
      const clip = { x: 0, y: 0, width: 1240, height: (box?.y ?? 0) + (box?.height ?? 800) + 12 };
      await page.screenshot({ path: `${path}-${colorScheme}.png`, clip, fullPage: true });
    }
  } finally {
    await browser.close();
  }
}
