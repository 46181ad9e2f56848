import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  thisMachine,
  type TunedSetting,
  tunedServerSettings,
  tunedTableSettings,
} from '@fair-bench/postgres';
import { type Bench, openBench, pairedRatio, type RatioEstimate, tpsOf } from '@fair-bench/runner/bench';
import { createSupervisor } from '@fair-bench/supervisor';

/**
 * Prices the tuned profile: its whole against the default, then each setting, by the profile without it against the
 * profile, in interleaved rounds in alternating order. Every trial is seeded, settled and audited.
 *
 *     node packages/connector-postgres-driver/bench/price-tuning.ts [--rounds 6] [--seconds 2] [--sessions 8]
 *       [--depth 40] [--alpha 0.5] [--client native] [--async] [--only fillfactor,wal_buffers]
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
    print('| setting | value | with it ÷ without it | 95 % interval | reason |');
    print('| --- | --- | --- | --- | --- |');
    const plain = `postgres-driver${values.async ? '@async' : ''}`;
    print(row('all of them', '', await compare(context, load, [plain, {}]), 'tuned ÷ default'));
    for (const setting of settings) {
      const name = `postgres-driver@tuned${load.suffix}`;
      const priced = await compare(context, load, [name, { without: setting.name }]);
      print(describe(setting, priced));
    }
  });
}

interface Load {
  readonly rounds: number;
  readonly trial: Parameters<Awaited<ReturnType<Bench['target']>>['measure']>[0];
  readonly suffix: string;
}

type Context = Parameters<typeof openBench>[0];

/** The whole profile as contender, and what is named as baseline: two servers side by side. */
async function compare(
  context: Context,
  { rounds, trial, suffix }: Load,
  [name, settings]: readonly [string, Readonly<Record<string, string>>],
): Promise<RatioEstimate> {
  const tuned = `postgres-driver@tuned${suffix}`;
  await using baseline = closing(await openBench(context, [name], settings));
  await using contender = closing(await openBench(context, [tuned]));
  const targets = {
    baseline: await baseline.bench.target(name),
    contender: await contender.bench.target(tuned),
  };
  const pairs: { baseline: number; contender: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const pair = { baseline: 0, contender: 0 };
    const order =
      round % 2 === 0 ? (['baseline', 'contender'] as const) : (['contender', 'baseline'] as const);
    for (const end of order) pair[end] = tpsOf(await targets[end].measure(trial));
    pairs.push(pair);
  }
  return pairedRatio(pairs);
}

function closing(bench: Bench): AsyncDisposable & { readonly bench: Bench } {
  return { bench, [Symbol.asyncDispose]: async () => await bench.close() };
}

function describe({ name, value, reason }: TunedSetting, priced: RatioEstimate): string {
  return row(name, value(thisMachine()), priced, reason);
}

function row(name: string, value: string, { ratio, ci95 }: RatioEstimate, reason: string): string {
  const interval = ci95 === null ? 'none' : `[${ci95[0].toFixed(2)}, ${ci95[1].toFixed(2)}]`;
  return `| ${name} | ${value} | ${ratio.toFixed(2)} | ${interval} | ${reason} |`;
}

async function withContext(use: (context: Context) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'fair-bench-tuning-'));
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort(new Error('interrupted')));
  const supervisor = createSupervisor({ logDirectory: directory, signal: interrupt.signal });
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  try {
    await use({ root, directory, supervisor, signal: interrupt.signal });
  } finally {
    await supervisor.stopAll();
    await rm(directory, { recursive: true, force: true });
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
