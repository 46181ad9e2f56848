import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { cpuUsOf } from '../bench.ts';

/** The same for both clients. */
export interface Setting {
  /** The folder of the other client. */
  readonly client: string;
  readonly seconds: number;
  readonly warmupSeconds: number;
  readonly sessions: number;
  readonly alpha: number;
  readonly accounts: number;
}

/** Where the other client connects; `database` holds the dataset. */
export interface Server {
  readonly url: string;
  readonly database: string;
}

export interface Rates {
  /** Transfers acknowledged as applied. */
  readonly perSecond: number;
  /** CPU time of the client process, user and system, in microseconds. */
  readonly cpuUs: number;
}

/** From the other client's final output. It only counts successes. */
const runSchema = z.object({
  results: z.tuple([
    z.object({ res: z.object({ timeSeries: z.array(z.object({ tSec: z.number(), samples: z.number() })) }) }),
  ]),
});

const graceMs = 60_000;
/** It draws them in advance, and repeats them when they are used up. */
const transferPairs = 1_000_000;

/** One run of the unmodified other client, without its first seconds, in which it is compiled. */
export async function theirRates(setting: Setting, server: Server, depth: number): Promise<Rates> {
  const runs = await mkdtemp(join(tmpdir(), 'fair-bench-theirs-'));
  const { client, warmupSeconds, seconds } = setting;
  const signal = AbortSignal.timeout((warmupSeconds + seconds) * 1000 + graceMs);
  const child = spawn(process.execPath, ['--import', 'tsx', ...wordsOf(setting, server, depth)], {
    cwd: client,
    env: { BENCH_RUNS_DIR: runs },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
    killSignal: 'SIGKILL',
  });
  try {
    const ended = once(child, 'exit');
    const started = Promise.withResolvers<void>();
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes('Starting workers')) started.resolve();
    });
    await Promise.race([started.promise, ended]);
    await sleep(warmupSeconds * 1000);
    const [startMs, startUs] = [performance.now(), await cpuUsOf(child.pid)];
    await sleep(seconds * 1000);
    const cpuUsPerSecond = ((await cpuUsOf(child.pid)) - startUs) / ((performance.now() - startMs) / 1000);
    await ended;
    const perSecond = await rateOf(runs, warmupSeconds, seconds);
    return { perSecond, cpuUs: cpuUsPerSecond / perSecond };
  } finally {
    child.kill('SIGKILL');
    await rm(runs, { recursive: true });
  }
}

function wordsOf(setting: Setting, { url, database }: Server, depth: number): string[] {
  const options = {
    '--connectors': 'spacetimedb',
    '--stdb-url': new URL(url).host,
    '--stdb-module': database,
    '--stdb-compression': 'none',
    '--concurrency': setting.sessions,
    '--accounts': setting.accounts,
    '--alpha': setting.alpha,
    '--precomputed-transfer-pairs': transferPairs,
    // It takes no sample at its very end.
    '--seconds': setting.warmupSeconds + setting.seconds + 1,
    ...(depth === 1 ? {} : { '--max-inflight-per-worker': depth }),
  };
  const pipelined = depth === 1 ? '--no-bench-pipelined' : '--bench-pipelined';
  return ['src/cli.ts', 'test-1', pipelined, ...Object.entries(options).flat().map(String)];
}

async function rateOf(runs: string, warmupSeconds: number, seconds: number): Promise<number> {
  const [file] = await readdir(runs);
  if (file === undefined) throw new Error('the other client wrote no result; is it installed?');
  const { results } = runSchema.parse(JSON.parse(await readFile(join(runs, file), 'utf8')));
  const { timeSeries } = results[0].res;
  const first = timeSeries.find(({ tSec }) => tSec >= warmupSeconds);
  const last = timeSeries.findLast(({ tSec }) => tSec < warmupSeconds + seconds + 0.5);
  if (first === undefined || last === undefined || first === last) throw new Error('too few of its samples');
  const within = timeSeries.filter(({ tSec }) => tSec > first.tSec && tSec <= last.tSec);
  return within.reduce((sum, { samples }) => sum + samples, 0) / (last.tSec - first.tSec);
}
