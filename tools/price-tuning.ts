import {
  thisMachine,
  type TunedSetting,
  tunedServerSettings,
  tunedTableSettings,
} from '@fair-bench/connector-postgres';
import type { z } from 'zod';
import { type BenchContext, type BenchTrial, inTurn, openBench, print, withContext } from './bench.ts';
import { flag, kindOptions, loadOptions, option, secondsText, tool, whole, word } from './tool.ts';
import { pairedRatio, type PassedTrial, type RatioEstimate } from '@fair-bench/results';

const options = {
  rounds: option('number', 'pairs of trials for each setting', whole(2).prefault('6')),
  seconds: option('number', 'timed window of a trial', secondsText.prefault('2')),
  ...loadOptions('8', '40'),
  ...kindOptions('0.5', 'native'),
  async: option(null, 'without waiting for the log', flag()),
  only: option('settings', 'some of them, separated by commas', word()),
  values: option(
    'setting=values',
    'instead: the profile with each of these values against the profile',
    word(),
  ),
};

export const tuningTool = tool(
  'bench:tuning',
  "what each setting of PostgreSQL's tuned profile brings: the profile against the profile without it",
  options,
  priceTuning,
);

/**
 * Prices the tuned profile: its whole against the default, then each setting, by the profile without it against the
 * profile, in interleaved rounds in alternating order. Every trial is seeded, settled and audited.
 */
async function priceTuning(values: z.infer<z.ZodObject<typeof options>>): Promise<number> {
  const { client, sessions, depth, alpha, rounds } = values;
  const load = {
    rounds,
    trial: { client, windowMs: values.seconds * 1000, sessions, depth, alpha },
    suffix: values.async ? '-async' : '',
  };
  const only = values.only?.split(',');
  const settings = [...tunedServerSettings, ...tunedTableSettings].filter(
    ({ name }) => only === undefined || only.includes(name),
  );
  await withContext(async (context) => {
    print(
      '| setting | value | throughput with ÷ without | 95 % | server CPU with ÷ without | 95 % | reason |',
    );
    print('| --- | --- | --- | --- | --- | --- | --- |');
    const name = `postgres-driver@tuned${load.suffix}`;
    if (values.values !== undefined) {
      const [setting = '', list = ''] = values.values.split('=');
      for (const value of list.split(',')) {
        const priced = await compare(context, load, [name, {}], { with: `${setting}=${value}` });
        print(row(setting, value, priced, 'this value ÷ the profile’s'));
      }
      return;
    }
    const plain = `postgres-driver${values.async ? '@async' : ''}`;
    print(row('all of them', '', await compare(context, load, [plain, {}]), 'tuned ÷ default'));
    for (const setting of settings) {
      const priced = await compare(context, load, [name, { without: setting.name }]);
      print(describe(setting, priced));
    }
  });
  return 0;
}

interface Load {
  readonly rounds: number;
  readonly trial: BenchTrial;
  readonly suffix: string;
}

/** The profile with the setting ÷ without it: throughput, and CPU time of the server for a transaction. */
interface Priced {
  readonly tps: RatioEstimate;
  readonly cpuUs: RatioEstimate;
}

/** The profile as contender, changed where `changes` say so, and what is named as baseline: two servers side by side. */
async function compare(
  context: BenchContext,
  { rounds, trial, suffix }: Load,
  [name, settings]: readonly [string, Readonly<Record<string, string>>],
  changes: Readonly<Record<string, string>> = {},
): Promise<Priced> {
  const tuned = `postgres-driver@tuned${suffix}`;
  await using baseline = await openBench(context, [name], settings);
  await using contender = await openBench(context, [tuned], changes);
  const [before, after] = [await baseline.target(name), await contender.target(tuned)];
  const pairs = await inTurn(
    rounds,
    async () => await before.measure(trial),
    async () => await after.measure(trial),
  );
  const ratioOf = (of: (measured: PassedTrial) => number): RatioEstimate =>
    pairedRatio(pairs.map(([first, second]) => ({ baseline: of(first), contender: of(second) })));
  return {
    tps: ratioOf(({ tps }) => tps),
    cpuUs: ratioOf(({ cpuUs, result }) => (cpuUs.database ?? Number.NaN) / result.window.applied),
  };
}

function describe({ name, value, reason }: TunedSetting, priced: Priced): string {
  return row(name, value(thisMachine()), priced, reason);
}

function row(name: string, value: string, { tps, cpuUs }: Priced, reason: string): string {
  return `| ${name} | ${value} | ${inCells(tps)} | ${inCells(cpuUs)} | ${reason} |`;
}

function inCells({ ratio, ci95 }: RatioEstimate): string {
  const interval = ci95 === null ? 'none' : `${ci95[0].toFixed(2)} to ${ci95[1].toFixed(2)}`;
  return `${ratio.toFixed(2)} | ${interval}`;
}
