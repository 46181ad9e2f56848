import { parseArgs } from 'node:util';
import {
  thisMachine,
  type TunedSetting,
  tunedServerSettings,
  tunedTableSettings,
} from '@fair-bench/connector-postgres';
import { type BenchContext, type BenchTrial, openBench, print, withContext } from './bench.ts';
import { pairedRatio, type RatioEstimate, type RoundPair } from '@fair-bench/results';

/**
 * Prices the tuned profile: its whole against the default, then each setting, by the profile without it against the
 * profile, in interleaved rounds in alternating order. Every trial is seeded, settled and audited.
 *
 *     node tools/price-tuning.ts [--rounds 6] [--seconds 2] [--sessions 8]
 *       [--depth 40] [--alpha 0.5] [--client native] [--async] [--only fillfactor,wal_buffers]
 *
 * With `--values commit_delay=0,200,500` instead: the profile with each of these values against the profile as it is.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '6' },
      seconds: { type: 'string', default: '2' },
      sessions: { type: 'string', default: '8' },
      depth: { type: 'string', default: '40' },
      alpha: { type: 'string', default: '0.5' },
      client: { type: 'string', default: 'native' },
      async: { type: 'boolean', default: false },
      only: { type: 'string' },
      values: { type: 'string' },
    },
  });
  const load: Load = {
    rounds: Number(values.rounds),
    trial: {
      client: values.client === 'node' ? 'node' : 'native',
      windowMs: Number(values.seconds) * 1000,
      sessions: Number(values.sessions),
      depth: Number(values.depth),
      alpha: Number(values.alpha),
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

await main();
