import type { Figure } from '@fair-bench/results';
import type { ExitCode } from '@fair-bench/runner';
import { InputError, messageOf } from '@fair-bench/contract';
import { type BenchContext, say } from '../bench.ts';
import { type FigurePlace, missing, runFigureBench } from './figure-bench.ts';
import { defaultRunFigures } from './figures/default-run.ts';
import { delayFigures } from './figures/delay.ts';
import { engineFigures } from './figures/engines.ts';
import { generationFigures } from './figures/generation.ts';
import { httpClientFigures } from './figures/http-client.ts';
import { memoryFigures } from './figures/memory.ts';
import { nativeFigures } from './figures/native.ts';
import { observationFigures } from './figures/observation.ts';
import { postgresFigures } from './figures/postgres.ts';
import { severalMachinesFigures } from './figures/several-machines.ts';
import { trialOverheadFigures } from './figures/trial-overhead.ts';

interface SelfBenchInput extends FigurePlace {
  /** Names of chapters, separated by commas; all by default. */
  readonly only: string | undefined;
}

interface Chapter {
  readonly name: string;
  readonly measure: (context: BenchContext) => Promise<readonly Figure[]>;
}

/** Chapters are independent: one that fails does not affect the others. */
const chapters: readonly Chapter[] = [
  { name: 'operation-stream', measure: generationFigures },
  { name: 'http-client', measure: httpClientFigures },
  { name: 'known-delay', measure: delayFigures },
  { name: 'memory', measure: memoryFigures },
  { name: 'observation', measure: observationFigures },
  { name: 'postgres-routes', measure: postgresFigures },
  { name: 'native-client', measure: nativeFigures },
  { name: 'engines', measure: engineFigures },
  { name: 'several-machines', measure: severalMachinesFigures },
  { name: 'trial-overhead', measure: trialOverheadFigures },
  { name: 'default-run', measure: defaultRunFigures },
];

/**
 * `npm run bench:self`: measures the harness itself and writes `figures` to `summary.json`. Exits with 0 when all
 * were measured and met their goals, otherwise 1. Rejects with InputError for an unknown chapter.
 */
export async function runSelfBench({ only, ...input }: SelfBenchInput): Promise<ExitCode> {
  const chosen = chosenChapters(only);
  const command = `npm run bench:self${only === undefined ? '' : ` -- --only ${only}`}`;
  return await runFigureBench({ ...input, kind: 'self', command }, async (context) => ({
    figures: await measureChapters(chosen, context),
  }));
}

function chosenChapters(only: string | undefined): readonly Chapter[] {
  if (only === undefined) return chapters;
  const names = only.split(',');
  const unknown = names.find((name) => !chapters.some((chapter) => chapter.name === name));
  if (unknown === undefined) return chapters.filter(({ name }) => names.includes(name));
  const accepted = chapters.map(({ name }) => name).join(', ');
  throw new InputError(`--only: got "${unknown}"; accepts, separated by commas: ${accepted}`);
}

async function measureChapters(
  chosen: readonly Chapter[],
  context: BenchContext,
): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { name, measure } of chosen) {
    if (context.signal.aborted) break;
    say(`measuring: ${name}`);
    const found = await measure(context).catch((error: unknown) => [
      missing(name, '', 'to be measured', messageOf(error)),
    ]);
    figures.push(...found);
    for (const figure of found) {
      say(
        `  ${figure.name}: ${figure.value ?? `not measured: ${figure.note}`} ${figure.unit} (goal ${figure.goal})`,
      );
    }
  }
  return figures;
}
