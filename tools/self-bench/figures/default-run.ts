import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { readFile, readdir } from 'node:fs/promises';
import { runSummarySchema, trialResultSchema, type Figure, type RunSummary } from '@fair-bench/results';
import { z } from 'zod';
import { type BenchContext, median } from '../../bench.ts';
import { atMost } from '../figure-bench.ts';

const firstOperationSMax = 15;
const wholeRunMinutesMax = 5;
const halfWidthMedianMax = 1.15;
const halfWidthMost = 1.35;

/**
 * The default fair bench, including the set-up check: the time to its first timed operation, and to its end. Without
 * all cells measured there is no figure.
 */
export async function defaultRunFigures(context: BenchContext): Promise<readonly Figure[]> {
  const out = join(context.directory, 'default-run');
  const startedMs = Date.now();
  const code = await runDefault(context, out);
  const minutes = (Date.now() - startedMs) / 60_000;
  const summary = runSummarySchema.parse(JSON.parse(await readFile(join(out, 'summary.json'), 'utf8')));
  if (code !== 0) throw new Error(`fair-bench: exit code ${code}; see ${out}`);
  const seconds = ((await firstTrialStart(out)) - startedMs) / 1000;
  const note = `scripts/run.mjs fair-bench, as npm calls it, ${summary.cells.length} cells of ${summary.run.rounds} trials`;
  const widths = halfWidthsOf(summary);
  const contrasts = `${widths.length} contrasts of neighbours; half of the 95 % interval, as a ratio`;
  return [
    atMost('from the command to the first timed operation', seconds, 's', firstOperationSMax, note),
    atMost('the default npm run fair-bench', minutes, 'min', wholeRunMinutesMax, note),
    atMost('its contrasts, the middle one', median(widths), '×', halfWidthMedianMax, contrasts),
    atMost('its contrasts, the least precise', Math.max(...widths), '×', halfWidthMost, contrasts),
  ];
}

function halfWidthsOf({ comparisons }: RunSummary): readonly number[] {
  return comparisons.flatMap(({ isContrast, ci95 }) =>
    isContrast === true ? [ci95 === null ? Infinity : Math.sqrt(ci95[1] / ci95[0])] : [],
  );
}

async function runDefault(context: BenchContext, out: string): Promise<number | null> {
  // The command of "npm run fair-bench"; npm itself would not forward a signal.
  const script = join(context.root, 'scripts', 'run.mjs');
  const child = spawn(process.execPath, [script, 'fair-bench', '--out', out], {
    cwd: context.root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = (): void => void child.kill('SIGINT');
  context.signal.addEventListener('abort', end, { once: true });
  const closed = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  // Its progress is shown, so that five minutes are not silent.
  for await (const line of createInterface({ input: child.stdout })) process.stderr.write(`  ${line}\n`);
  context.signal.removeEventListener('abort', end);
  return await closed;
}

const startSchema = z.object({ result: z.object({ timing: trialResultSchema.shape.timing }) });

/** When the first operation of the first trial was sent, as recorded by its load client. */
async function firstTrialStart(out: string): Promise<number> {
  const directory = join(out, 'trials');
  const starts: number[] = [];
  for (const file of (await readdir(directory)).filter((name) => name.endsWith('.json'))) {
    const record = startSchema.parse(JSON.parse(await readFile(join(directory, file), 'utf8')));
    starts.push(Date.parse(record.result.timing.startedAt));
  }
  return Math.min(...starts);
}
