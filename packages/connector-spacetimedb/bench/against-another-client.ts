import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startLoneTarget } from '@fair-bench/supervisor';
import { routeOf } from '@fair-bench/contract';
import { endpointOptionsSchema } from '../src/session.ts';
import connector from '../src/index.ts';
import { ourRates } from './our-client.ts';
import type { Rates, Server, Setting } from './setting.ts';
import { theirRates } from './their-client.ts';

/**
 * Compares this suite's client with the one in the vendor's own benchmark, on the same server, module and dataset,
 * round by round: first one, then the other, in alternating order. Both use one thread and confirmed reads.
 *
 *     node packages/connector-spacetimedb/bench/against-another-client.ts CLIENT [--rounds 5] [--seconds 5]
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
  await withServer(setting, async (server) => {
    const pairs: Pair[] = [];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      pairs.push(...(await runRound(setting, server, depths, round)));
    }
    for (const depth of depths) tellMedians(pairs.filter((pair) => pair.depth === depth));
  });
}

interface Pair {
  readonly depth: number;
  readonly ours: Rates;
  readonly theirs: Rates;
}

async function runRound(
  setting: Setting,
  server: Server,
  depths: readonly number[],
  round: number,
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const depth of depths) {
    const what = `round ${round + 1}, depth ${depth}`;
    try {
      const pair = await measurePair(setting, server, depth, round % 2 === 0);
      pairs.push(pair);
      tell(what, pair);
    } catch (error) {
      process.stdout.write(
        `${what} is left out: ${error instanceof Error ? error.message : String(error)}\n`,
      );
    }
  }
  return pairs;
}

async function measurePair(
  setting: Setting,
  server: Server,
  depth: number,
  oursFirst: boolean,
): Promise<Pair> {
  const early = oursFirst ? await ourRates(setting, server, depth) : null;
  const theirs = await theirRates(setting, server, depth);
  return { depth, ours: early ?? (await ourRates(setting, server, depth)), theirs };
}

function tell(what: string, { ours, theirs }: Pair): void {
  const rate = `${Math.round(ours.perSecond)} : ${Math.round(theirs.perSecond)} per second`;
  const cpu = `${ours.cpuUs.toFixed(1)} : ${theirs.cpuUs.toFixed(1)} µs of client CPU each`;
  process.stdout.write(`${what}: ours : theirs ${rate}, ${cpu}\n`);
}

function tellMedians(pairs: readonly Pair[]): void {
  const rate = median(pairs.map(({ ours, theirs }) => ours.perSecond / theirs.perSecond));
  const cpu = median(pairs.map(({ ours, theirs }) => ours.cpuUs / theirs.cpuUs));
  process.stdout.write(
    `depth ${pairs[0]?.depth}, median of ${pairs.length} ratios: throughput ${rate.toFixed(3)} (goal ≥ 1), client CPU ${cpu.toFixed(3)} (goal ≤ 1)\n`,
  );
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

async function withServer(setting: Setting, use: (server: Server) => Promise<void>): Promise<void> {
  const target = await startLoneTarget(routeOf(connector, 'sdk'), {
    poolSize: 1,
    sessionsMax: setting.sessions,
    depthMax: 1,
  });
  try {
    const { deployment } = target;
    const { url, options } = deployment.endpoint;
    const dataset = { accounts: setting.accounts, initialBalance: 1_000_000_000n };
    await deployment.workloads.transfer?.seed(dataset, AbortSignal.timeout(60_000));
    await use({ url, database: endpointOptionsSchema.parse(options).database });
  } finally {
    await target.close();
  }
}

await main();
