import { Command } from '@commander-js/extra-typings';
import {
  thisMachine,
  type TunedSetting,
  tunedServerSettings,
  tunedTableSettings,
} from '@fair-bench/connector-postgres';
import { quiet } from '@fair-bench/runner';
import { z } from 'zod';
import { type BenchContext, type BenchTrial, openBench, parsedBy, print, withContext } from './bench.ts';
import { pairedRatio, type RatioEstimate, type RoundPair } from '@fair-bench/results';

const optionsSchema = z.strictObject({
  rounds: z.coerce.number().int().min(2),
  seconds: z.coerce.number().positive(),
  sessions: z.coerce.number().int().min(1),
  depth: z.coerce.number().int().min(1),
  alpha: z.coerce.number().min(0),
  client: z.enum(['node', 'native']),
  async: z.boolean().default(false),
  only: z.string().optional(),
  values: z.string().optional(),
});
type TuningOptions = z.infer<typeof optionsSchema>;

/** `bench:tuning`; `chosen` is called with what it runs. */
export function tuningCommand(chosen: (run: () => Promise<number>) => void): Command {
  const command = quiet(new Command('bench:tuning'));
  command
    .description(
      "what each setting of PostgreSQL's tuned profile brings: the profile against the profile without it",
    )
    .option('--rounds <number>', 'pairs of trials for each setting', '6')
    .option('--seconds <number>', 'timed window of a trial', '2')
    .option('--sessions <number>', 'client connections', '8')
    .option('--depth <number>', 'operations in flight per session', '40')
    .option('--alpha <number>', 'skew', '0.5')
    .option('--client <name>', 'node or native', 'native')
    .option('--async', 'without waiting for the log')
    .option('--only <settings>', 'some of them, separated by commas')
    .option(
      '--values <setting=values>',
      'instead: the profile with each of these values against the profile as it is',
    )
    .action((texts) => chosen(async () => await priceTuning(parsedBy(optionsSchema, texts))));
  return command;
}

/**
 * Prices the tuned profile: its whole against the default, then each setting, by the profile without it against the
 * profile, in interleaved rounds in alternating order. Every trial is seeded, settled and audited.
 */
async function priceTuning(values: TuningOptions): Promise<number> {
  const load: Load = {
    rounds: values.rounds,
    trial: {
      client: values.client,
      windowMs: values.seconds * 1000,
      sessions: values.sessions,
      depth: values.depth,
      alpha: values.alpha,
    },
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
  const targets = {
    baseline: await baseline.target(name),
    contender: await contender.target(tuned),
  };
  const tps: RoundPair[] = [];
  const cpuUs: RoundPair[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const pair = { tps: { baseline: 0, contender: 0 }, cpuUs: { baseline: 0, contender: 0 } };
    const order =
      round % 2 === 0 ? (['baseline', 'contender'] as const) : (['contender', 'baseline'] as const);
    for (const end of order) {
      const measured = await targets[end].measure(trial);
      pair.tps[end] = measured.tps;
      pair.cpuUs[end] = (measured.cpuUs.database ?? Number.NaN) / measured.result.window.applied;
    }
    tps.push(pair.tps);
    cpuUs.push(pair.cpuUs);
  }
  return { tps: pairedRatio(tps), cpuUs: pairedRatio(cpuUs) };
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
