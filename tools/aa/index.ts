import {
  type Environment,
  type Figure,
  type NoiseFloor,
  machineOf,
  noiseFloorFile,
  pairedRatio,
  storeNoiseFloor,
} from '@fair-bench/results';
import { durationText, type ExitCode, optionText, parseTexts, wholeNumberText } from '@fair-bench/runner';
import { z } from 'zod';
import { messageOf } from '@fair-bench/contract';
import { atMost, missing, runFigureBench, say } from '../self-bench/figure-bench.ts';
import { type AaFindings, analyseAa } from './analyse.ts';
import { measureAa } from './measure.ts';
import { aaTarget } from './target.ts';

/** As many as a run has when nothing is said. */
const rounds = 3;
/** Of 40; one in twenty is what a 95 % interval gives on average. */
const falseAlarmShareMax = 3 / 40;
const alarms = 'significant differences between a target and itself';

/** The options of `bench:aa`, from text to values; the duration is milliseconds. */
const aaOptionsSchema = z.strictObject({
  target: z.string().optional(),
  repetitions: wholeNumberText(1, 10_000),
  duration: durationText(100),
  out: optionText('a folder', (text) => (text === '' || text.includes('\0') ? null : text)).optional(),
});
export type AaOptions = z.infer<typeof aaOptionsSchema>;

export const aaDefaults = { repetitions: '40', duration: '1s' } as const;

/** Parses the texts of a command line; an InputError names the first option that is refused. */
export function parseAaOptions(texts: unknown): AaOptions {
  return parseTexts(aaOptionsSchema, texts);
}

export interface AaInput {
  readonly root: string;
  readonly options: AaOptions;
  readonly dataDirectory: string | null;
}

/**
 * `npm run bench:aa`: measures one target against itself, leaves `figures` in `summary.json`, and stores the noise
 * floor for later runs on this machine. The exit code is 0 when all figures were measured and met their goals, else 1.
 */
export async function runAaBench({ root, options, dataDirectory }: AaInput): Promise<ExitCode> {
  const { target, isCalibration } = await aaTarget(root, options.target);
  const { repetitions, duration: windowMs, out } = options;
  const command = `npm run bench:aa -- --target ${target} --repetitions ${repetitions} --duration ${windowMs}ms`;
  return await runFigureBench({ root, kind: 'aa', command, out, dataDirectory }, async (context) => {
    const found = await findings(context, target, options);
    return {
      figures: figuresOf(found, target, options),
      conclude: async ({ endedAt, environment }, artifacts) => {
        if (typeof found === 'string') return;
        const floor = noiseFloorOf(found, { target, windowMs, measuredAt: endedAt, environment });
        await artifacts.write(noiseFloorFile, floor);
        // A calibration target shows the harness's noise alone, not that of databases.
        const stored = isCalibration
          ? 'not stored: a calibration target is not a database'
          : await storeNoiseFloor(root, floor);
        process.stdout.write(`noise floor for later runs here: ${stored}\n`);
      },
    };
  });
}

/** The findings, or why not. */
async function findings(
  context: Parameters<typeof measureAa>[0],
  target: string,
  { repetitions, duration }: AaOptions,
): Promise<AaFindings | string> {
  const onRepetition: Parameters<typeof measureAa>[1]['onRepetition'] = (pairs, done) => {
    const { ratio, significant } = pairedRatio(pairs);
    say(`${done} of ${repetitions}: ${ratio.toFixed(4)} ×${significant ? ', significant' : ''}`);
  };
  try {
    const plan = { target, repetitions, rounds, windowMs: duration, onRepetition };
    const measured = await measureAa(context, plan);
    return measured.length === 0 ? 'interrupted before a repetition was whole' : analyseAa(measured);
  } catch (error) {
    return messageOf(error);
  }
}

function figuresOf(found: AaFindings | string, target: string, options: AaOptions): Figure[] {
  const most = Math.ceil(options.repetitions * falseAlarmShareMax);
  if (typeof found === 'string') return [missing(alarms, `of ${options.repetitions}`, `≤ ${most}`, found)];
  const { repetitions, falseAlarms, ratioDetectable, ratioSeen } = found;
  const note = `${target} against itself, ${repetitions} repetitions of ${rounds} interleaved rounds of ${options.duration} ms`;
  const percent = (ratio: number): number => Number(((ratio - 1) * 100).toPrecision(3));
  return [
    atMost(
      alarms,
      falseAlarms,
      `of ${repetitions}`,
      most,
      `${note}; significant: the 95 % interval excludes 1`,
    ),
    {
      name: `minimum detectable difference of ${rounds} rounds here`,
      value: percent(ratioDetectable),
      unit: '%',
      goal: 'to be known',
      met: true,
      note: 'least significant difference: Student’s t × pooled deviation of the rounds’ log ratio ÷ √rounds',
    },
    {
      name: 'difference that 95 of 100 repetitions stayed within',
      value: percent(ratioSeen),
      unit: '%',
      goal: 'to be known',
      met: true,
      note: 'as seen, beside what the line above expects',
    },
  ];
}

function noiseFloorOf(
  found: AaFindings,
  measured: Pick<NoiseFloor, 'target' | 'windowMs' | 'measuredAt'> & { readonly environment: Environment },
): NoiseFloor {
  const { target, windowMs, measuredAt, environment } = measured;
  const { ratioDetectable: ratio, repetitions, falseAlarms } = found;
  const machine = machineOf(environment);
  return { target, ratio, rounds, windowMs, repetitions, falseAlarms, measuredAt, machine };
}
