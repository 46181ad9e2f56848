import {
  type Environment,
  type Figure,
  type NoiseFloor,
  machineOf,
  noiseFloorFile,
  storeNoiseFloor,
  sum,
} from '@fair-bench/results';
import { discover, durationText, everyRun, type ExitCode, listTargets } from '@fair-bench/runner';
import type { z } from 'zod';
import { InputError, messageOf } from '@fair-bench/contract';
import { type BenchContext, say } from '../bench.ts';
import { flag, option, whole, word } from '../tool.ts';
import { atLeast, atMost, type FigurePlace, missing, runFigureBench } from '../self-bench/figure-bench.ts';
import { type AaFindings, analyseAa } from './analyse.ts';
import { type AaRun, measureAa } from './measure.ts';
import { compareRuns, renderRuns, type RunToRun } from './pairs.ts';
import { renderVariance, startLine } from './render-variance.ts';

/** One in twenty is what a 95 % interval gives on average, of the comparisons by themselves. */
const falseAlarmShareMax = 0.05;
/** The smallest difference that a contrast must detect, as a share. */
const differenceMax = 0.1;
/** The least percentage of pairs of separate runs that agree. */
const compatibleMin = 90;

/** The options of `bench:aa`; durations are milliseconds. */
export const aaOptions = {
  target: option('names', 'which, several by commas (default: the first available database)', word()),
  runs: option('number', 'default runs of fair-bench', whole(1).prefault('4')),
  quick: option(null, 'only one combination, of three contrasts', flag()),
  budget: option('time', 'of each run (default: 5m)', durationText(10_000).optional()),
  trials: option('number', 'rounds of each run, in place of a budget', whole(2).optional()),
  deployments: everyRun.deployments,
  duration: everyRun.duration,
  warmup: everyRun.warmup,
};
type AaOptions = z.infer<z.ZodObject<typeof aaOptions>>;

interface AaInput extends FigurePlace {
  readonly options: AaOptions;
}

/**
 * `npm run bench:aa`: runs of `fair-bench` in which every target is the same one, or of several targets, and whether
 * separate runs agree. Writes `figures` to `summary.json`; one target against itself is stored as the noise floor for
 * later runs on this machine. Exits with 0 when all figures were measured and met their goals, otherwise 1.
 */
export async function runAaBench({ root, out, options, share, dataDirectory }: AaInput): Promise<ExitCode> {
  const { targets, isCalibration } = await aaTargets(root, options.target);
  const target = targets.join(',');
  const { runs } = options;
  const given = Object.entries(textsOf(options)).map(([name, text]) =>
    text === true ? `--${name}` : `--${name} ${text}`,
  );
  const command = ['npm run bench:aa --', `--target ${target}`, `--runs ${runs}`, ...given].join(' ');
  return await runFigureBench({ root, kind: 'aa', command, out, share, dataDirectory }, async (context) => {
    const measured = await measureRuns(context, { root, out, targets, options, share, dataDirectory });
    const isItself = targets.length === 1;
    const found = typeof measured === 'string' || !isItself ? null : analyseAa(measured);
    const between = typeof measured === 'string' ? [] : compareRuns(measured);
    if (typeof measured !== 'string' && isItself) process.stdout.write(`${renderVariance(measured)}\n`);
    if (typeof measured !== 'string') process.stdout.write(startLine(measured));
    if (between.length > 0) process.stdout.write(`${renderRuns(between)}\n`);
    return {
      figures:
        typeof measured === 'string'
          ? [
              missing(
                isItself ? alarms : agreement,
                'of all',
                isItself ? '≤ 5 %' : `≥ ${compatibleMin}`,
                measured,
              ),
            ]
          : [
              ...(found === null ? [] : figuresOf(found, target)),
              ...agreementOf(between, options.runs, isItself),
            ],
      conclude: async ({ endedAt, environment }, artifacts) => {
        const windowMs = typeof measured === 'string' ? undefined : measured[0]?.plan.timing.windowMs;
        if (found === null || windowMs === undefined) return;
        const floor = noiseFloorOf(found, { target, windowMs, measuredAt: endedAt, environment });
        await artifacts.write(noiseFloorFile, floor);
        // A calibration target only shows the harness's noise, not that of databases.
        const stored = isCalibration
          ? 'not stored: a calibration target is not a database'
          : await storeNoiseFloor(root, floor);
        process.stdout.write(`noise floor for later runs here: ${stored}\n`);
      },
    };
  });
}

/** Options of the runs, as texts of `fair-bench`. */
function textsOf({
  quick,
  budget,
  trials,
  duration,
  warmup,
  deployments,
}: AaOptions): Record<string, string | boolean> {
  return {
    ...(quick ? { quick, depth: '8' } : {}),
    deployments,
    ...(budget === undefined ? {} : { budget: `${budget}ms` }),
    ...(trials === undefined ? {} : { trials: String(trials) }),
    duration: `${duration}ms`,
    warmup: `${warmup}ms`,
  };
}

/** The complete runs, or why there is none. */
async function measureRuns(
  context: BenchContext,
  input: AaInput & { readonly targets: readonly string[] },
): Promise<readonly AaRun[] | string> {
  const runs: AaRun[] = [];
  const plan = { ...input, options: textsOf(input.options) };
  try {
    for (let number = 1; number <= input.options.runs && !context.signal.aborted; number += 1) {
      say(`run ${number} of ${input.options.runs}`);
      const run = await measureAa(context, plan, number);
      if (!context.signal.aborted) runs.push(run);
    }
    return runs.length === 0 ? 'interrupted before a run was complete' : runs;
  } catch (error) {
    return messageOf(error);
  }
}

const alarms = 'contrasts of a target with itself that are reported as different';

const agreement = 'pairs of separate runs whose intervals of a contrast are compatible';

/** Whether separate runs agree; nothing for one run of a target against itself. */
function agreementOf(found: readonly RunToRun[], runs: number, isItself: boolean): Figure[] {
  const pairs = sum(found.map((one) => one.pairs));
  if (pairs === 0) {
    const reason = 'needs two complete runs with two rounds of a contrast';
    return isItself ? [] : [missing(agreement, '%', `≥ ${compatibleMin}`, reason)];
  }
  const share = (sum(found.map(({ compatible }) => compatible)) / pairs) * 100;
  return [
    atLeast(agreement, share, '%', compatibleMin, `${pairs} pairs of ${runs} runs, Welch's interval at 95 %`),
  ];
}

function figuresOf(found: AaFindings, target: string): Figure[] {
  const { contrasts, falseAlarms, comparisons, falseAlarmsOfAll, rounds, halfWidth, halfWidthMost } = found;
  const percent = (ratio: number): number => Number(((ratio - 1) * 100).toPrecision(3));
  const design = `${target} against itself in default runs of fair-bench, ${rounds} rounds of a contrast`;
  const most = Math.floor(contrasts * falseAlarmShareMax);
  const all = `${falseAlarmsOfAll} of all ${comparisons} comparisons`;
  return [
    atMost(alarms, falseAlarms, `of ${contrasts}`, most, `${design}; ${all}; corrected in each run’s table`),
    atMost(
      'minimum detectable difference of a contrast',
      percent(halfWidth),
      '%',
      differenceMax * 100,
      `half of the 95 % interval, median of ${contrasts}`,
    ),
    {
      name: 'the same for the least precise contrast',
      value: percent(halfWidthMost),
      unit: '%',
      goal: 'to be known',
      met: true,
      note: design,
    },
  ];
}

function noiseFloorOf(
  found: AaFindings,
  measured: Pick<NoiseFloor, 'target' | 'windowMs' | 'measuredAt'> & { readonly environment: Environment },
): NoiseFloor {
  const { target, windowMs, measuredAt, environment } = measured;
  const { ratioDetectable: ratio, contrasts: repetitions, falseAlarms, rounds } = found;
  const machine = machineOf(environment);
  return { target, ratio, rounds, windowMs, repetitions, falseAlarms, measuredAt, machine };
}

/**
 * The targets to measure: the requested ones, otherwise the first available database. Without one it rejects with an
 * InputError that names the remedy.
 */
async function aaTargets(
  root: string,
  requested: string | undefined,
): Promise<{ readonly targets: readonly string[]; readonly isCalibration: boolean }> {
  const { connectors } = await discover(root);
  const isCalibration = (target: string): boolean =>
    connectors.find(({ name }) => name === target)?.manifest.calibration === true;
  const listings = await listTargets(root);
  if (requested !== undefined) {
    const targets = requested.split(',');
    for (const target of targets) {
      const listing = listings.find((one) => one.target === target);
      if (listing?.available === true) continue;
      const why = listing === undefined ? '' : `; ${target}: ${listing.reason}; ${listing.remedy}`;
      const names = listings.filter(({ available }) => available).map((one) => one.target);
      throw new InputError(`--target: got "${requested}"; accepts one or more of ${names.join(', ')}${why}`);
    }
    return { targets, isCalibration: targets.some(isCalibration) };
  }
  const first = listings.find(({ target, available }) => available && !isCalibration(target));
  if (first !== undefined) return { targets: [first.target], isCalibration: false };
  const remedies = listings.flatMap(({ target, remedy }) =>
    remedy === undefined ? [] : [`${target}: ${remedy}`],
  );
  throw new InputError(`bench:aa: no database is available here; ${remedies.join('; ')}`);
}
