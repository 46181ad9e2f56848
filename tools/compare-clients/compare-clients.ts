import type { Row } from '@fair-bench/contract';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '@fair-bench/contract';
import { z } from 'zod';
import { type BenchTarget, clientCpuUsOf, median, openBench, print, withContext } from '../bench.ts';
import { type Rates, type Setting, theirRates } from './their-client.ts';

const name = 'spacetimedb-sdk';
/** Of the endpoint's options: the database at the server, which both clients use. */
const endpointOptionsSchema = z.object({ database: z.string() });

/**
 * Compares this suite's client with the one in the vendor's own benchmark, on the same server, module and dataset,
 * round by round: first one, then the other, in alternating order. Both use one thread and confirmed reads.
 *
 *     node tools/compare-clients/compare-clients.ts CLIENT [--rounds 5] [--seconds 5]
 *       [--warmup 2] [--sessions 64] [--depth 1,40] [--alpha 0.5]
 *
 * CLIENT is a checkout of `templates/keynote-2` of the server's public repository with its packages installed
 * (`spacetimedb`, `tsx`, `cac`, `dotenv`, `hdr-histogram-js` and what else its connectors import). Linux only: the
 * other client's CPU time is read from /proc.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '5' },
      warmup: { type: 'string', default: '2' },
      sessions: { type: 'string', default: '64' },
      depth: { type: 'string', default: '1,40' },
      alpha: { type: 'string', default: '0.5' },
    },
  });
  const [client] = positionals;
  if (client === undefined) throw new Error('give the folder of the other client');
  const setting: Setting = {
    client: resolve(client),
    seconds: Number(values.seconds),
    warmupSeconds: Number(values.warmup),
    sessions: Number(values.sessions),
    alpha: Number(values.alpha),
    accounts: 100_000,
  };
  const depths = values.depth.split(',').map(Number);
  await withContext(async (context) => {
    await using bench = await openBench(context, [name]);
    const target = await bench.target(name);
    const pairs: Pair[] = [];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      pairs.push(...(await runRound(setting, target, depths, round)));
    }
    for (const depth of depths) printMedians(pairs.filter((pair) => pair.depth === depth));
  });
}

interface Pair {
  readonly depth: number;
  readonly ours: Rates;
  readonly theirs: Rates;
}

async function runRound(
  setting: Setting,
  target: BenchTarget,
  depths: readonly number[],
  round: number,
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const depth of depths) {
    const what = `round ${round + 1}, depth ${depth}`;
    try {
      const pair = await measurePair(setting, target, depth, round % 2 === 0);
      pairs.push(pair);
      printPair(what, pair);
    } catch (error) {
      print(`${what} is left out: ${messageOf(error)}`);
    }
  }
  return pairs;
}

async function measurePair(
  setting: Setting,
  target: BenchTarget,
  depth: number,
  oursFirst: boolean,
): Promise<Pair> {
  const early = oursFirst ? await ourRates(target, setting, depth) : null;
  const theirs = await theirRatesOn(target, setting, depth);
  return { depth, ours: early ?? (await ourRates(target, setting, depth)), theirs };
}

/** One audited trial. */
async function ourRates(target: BenchTarget, setting: Setting, depth: number): Promise<Rates> {
  const { sessions, alpha, accounts } = setting;
  const [windowMs, warmupMs] = [setting.seconds * 1000, setting.warmupSeconds * 1000];
  const trial = await target.measure({ sessions, depth, alpha, accounts, windowMs, warmupMs });
  return { perSecond: trial.tps, cpuUs: clientCpuUsOf(trial) };
}

/** The other client checks nothing; it starts from the same dataset. */
async function theirRatesOn({ deployment }: BenchTarget, setting: Setting, depth: number): Promise<Rates> {
  const { url, options } = deployment.endpoint;
  const signal = AbortSignal.timeout(60_000);
  await deployment.tables.clear(0, signal);
  await deployment.tables.load(0, pagesOf(setting.accounts), signal);
  return await theirRates(setting, { url, database: endpointOptionsSchema.parse(options).database }, depth);
}

const pageRows = 10_000;

async function* pagesOf(rows: number): AsyncIterable<readonly Row[]> {
  for (let first = 0; first < rows; first += pageRows) {
    const count = Math.min(pageRows, rows - first);
    yield await Promise.resolve(
      Array.from({ length: count }, (_, index): Row => [first + index, 1_000_000_000n]),
    );
  }
}

function printPair(what: string, { ours, theirs }: Pair): void {
  const rate = `${Math.round(ours.perSecond)} : ${Math.round(theirs.perSecond)} per second`;
  const cpu = `${ours.cpuUs.toFixed(1)} : ${theirs.cpuUs.toFixed(1)} µs of client CPU each`;
  print(`${what}: ours : theirs ${rate}, ${cpu}`);
}

function printMedians(pairs: readonly Pair[]): void {
  const rate = median(pairs.map(({ ours, theirs }) => ours.perSecond / theirs.perSecond));
  const cpu = median(pairs.map(({ ours, theirs }) => ours.cpuUs / theirs.cpuUs));
  print(
    `depth ${pairs[0]?.depth}, median of ${pairs.length} ratios: throughput ${rate.toFixed(3)} (goal ≥ 1), client CPU ${cpu.toFixed(3)} (goal ≤ 1)`,
  );
}

await main();
