import { join, resolve } from 'node:path';
import { type Figure, type SelfBenchSummary, selfBenchSummarySchema } from '@fair-bench/contract';
import { createSupervisor } from '@fair-bench/supervisor';
import { Artifacts } from '../artifacts.ts';
import { exitCodes, type ExitCode } from '../cli/exit-codes.ts';
import { checkResultsDirectory, makeResultsDirectory, runId } from '../cli/folders.ts';
import { listenForInterruption } from '../cli/interruption.ts';
import { captureEnvironment } from '../environment/index.ts';
import { messageOf } from '../error-message.ts';
import type { BenchContext } from './bench.ts';
import { missing } from './figure.ts';
import { defaultRunFigures } from './figures/default-run.ts';
import { delayFigures } from './figures/delay.ts';
import { generationFigures } from './figures/generation.ts';
import { httpClientFigures } from './figures/http-client.ts';
import { memoryFigures } from './figures/memory.ts';
import { nativeFigures } from './figures/native.ts';
import { postgresFigures } from './figures/postgres.ts';
import { renderFigures } from './render.ts';

export interface SelfBenchInput {
  readonly root: string;
  readonly out: string | undefined;
  readonly dataDirectory: string | null;
}

type Chapter = readonly [name: string, figures: (context: BenchContext) => Promise<readonly Figure[]>];

/** Every chapter is measured for itself: one that fails leaves the others their figures. */
const chapters: readonly Chapter[] = [
  ['operation stream', async () => generationFigures()],
  ['HTTP client', httpClientFigures],
  ['known delay', delayFigures],
  ['memory', memoryFigures],
  ['PostgreSQL routes', postgresFigures],
  ['native load client', nativeFigures],
  ['default run', defaultRunFigures],
];

/**
 * `npm run bench:self`: measures the harness itself and leaves `figures` in `summary.json`. A figure that
 * misses its goal is printed as such; the exit code is 0 when all were had and met, 1 otherwise.
 */
export async function runSelfBench({ root, out, dataDirectory }: SelfBenchInput): Promise<ExitCode> {
  const startedAt = new Date();
  const id = runId('self', startedAt);
  const directory = resolve(out ?? join(root, 'results', id));
  await checkResultsDirectory(directory);
  await makeResultsDirectory(directory);
  const artifacts = new Artifacts(directory);
  await artifacts.open();
  const interruption = listenForInterruption(say);
  const { signal } = interruption;
  const supervisor = createSupervisor({
    logDirectory: artifacts.logDirectory,
    signal,
    ...(dataDirectory === null ? {} : { dataRoot: dataDirectory }),
  });
  try {
    const figures = await measureChapters({ root, directory, supervisor, signal });
    const environment = await captureEnvironment({ root, dataRoot: directory, fsyncPerSecond: null });
    const run = { id, startedAt: startedAt.toISOString(), endedAt: new Date().toISOString(), environment };
    const summary: SelfBenchSummary = selfBenchSummarySchema.parse({
      schemaVersion: 1,
      run: { ...run, interrupted: signal.aborted, command: 'npm run bench:self' },
      figures,
    });
    await artifacts.write('summary.json', summary);
    process.stdout.write(`${renderFigures(figures)}\n${join(directory, 'summary.json')}\n`);
    if (signal.aborted) return exitCodes.interrupted;
    return figures.every(({ met }) => met) ? exitCodes.ok : exitCodes.void;
  } finally {
    await supervisor.stopAll();
    interruption.dispose();
    artifacts.failures.forEach(say);
  }
}

async function measureChapters(context: BenchContext): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [name, measure] of chapters) {
    if (context.signal.aborted) break;
    say(`measuring: ${name}`);
    const found = await measure(context).catch((error: unknown) => [
      missing(name, '', 'to be measured', messageOf(error)),
    ]);
    figures.push(...found);
    for (const figure of found) {
      say(
        `  ${figure.name}: ${figure.value ?? `not had: ${figure.note}`} ${figure.unit} (goal ${figure.goal})`,
      );
    }
  }
  return figures;
}

function say(line: string): void {
  process.stderr.write(`fair-bench: ${line}\n`);
}
