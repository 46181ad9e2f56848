import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BenchTarget,
  type BenchTrial,
  clientCpuUsOf,
  median,
  openBench,
  print,
  withContext,
} from './bench.ts';
import { measureStorage, numbersText, type StorageProbe } from '@fair-bench/runner';
import { loadOptions, option, secondsText, tool, whole, words } from './tool.ts';
import { Client } from 'pg';
import { z } from 'zod';

const kernelStatistics = '/proc/stat';

const options = {
  rounds: option('number', 'trials of each row', whole(1).prefault('3')),
  seconds: option('number', 'timed window of a trial', secondsText.prefault('2')),
  ...loadOptions('16', '40'),
  targets: option(
    'names',
    'separated by commas',
    words.prefault('postgres-driver,postgres-driver@tuned,postgres-driver@async,postgres-driver@tuned-async'),
  ),
  alphas: option(
    'numbers',
    'skews',
    numbersText('numbers from 0', (alpha) => alpha >= 0).prefault('0,0.5,1.5'),
  ),
};

export const ceilingTool = tool(
  'bench:ceiling',
  'what bounds PostgreSQL at one load: processors, flushes of the log, and what its sessions wait for',
  options,
  findCeiling,
);

/**
 * Shows what bounds PostgreSQL by its stored procedure at one load: for each profile and skew, and without waiting
 * for the disk, the processors' time, the log's flushes, and what the sessions waited for. Rounds are interleaved,
 * every trial is seeded, settled and audited; a row has medians.
 */
async function findCeiling(values: z.infer<z.ZodObject<typeof options>>): Promise<number> {
  const { alphas, rounds, sessions, depth } = values;
  const load = { sessions, depth, windowMs: values.seconds * 1000 };
  await withContext(async (context) => {
    const disk = await measureStorage(context.directory);
    const syncs = Math.round(disk.fsyncPerSecond);
    print(`${cpus().length} processors; one writer flushes the disk ${syncs} times per second\n`);
    print(
      '| target | alpha | per second | processors busy | server CPU µs | client CPU µs | flushes per second | ' +
        `operations per flush | context switches per operation | ${waitKinds.join(' | ')} |`,
    );
    print(`| --- |${' ---: |'.repeat(8 + waitKinds.length)}`);
    await using stack = new AsyncDisposableStack();
    const targets: { readonly name: string; readonly target: BenchTarget; readonly client: Client }[] = [];
    for (const name of values.targets) {
      const bench = stack.use(await openBench(context, [name]));
      const target = await bench.target(name);
      const client = new Client({
        connectionString: target.deployment.endpoint.url,
        application_name: 'fair-bench waits',
      });
      await client.connect();
      stack.defer(async () => await client.end());
      targets.push({ name, target, client });
    }
    const found = new Map<string, Evidence[]>();
    for (let round = 0; round < rounds; round += 1) {
      for (const { name, target, client } of targets) {
        for (const alpha of alphas) {
          const key = `| ${name} | ${alpha} |`;
          const evidence = await gather(target, client, disk, { ...load, alpha });
          found.set(key, [...(found.get(key) ?? []), evidence]);
        }
      }
    }
    for (const [key, all] of found) print(`${key} ${cellsOf(all).join(' | ')} |`);
  });
  return 0;
}

/** What one trial showed. */
interface Evidence {
  readonly perSecond: number;
  /** Of all processors of the machine, for any process; 0 to 1. */
  readonly busy: number;
  /** Microseconds per applied operation. */
  readonly serverCpuUs: number;
  readonly clientCpuUs: number;
  /** Of the disk, by any process; NaN where the device does not count them. */
  readonly flushesPerSecond: number;
  /** Of all processes of the machine; NaN where the system does not count them. */
  readonly switchesPerSecond: number;
  readonly waits: WaitShares;
}

async function gather(
  target: BenchTarget,
  client: Client,
  disk: StorageProbe,
  load: BenchTrial,
): Promise<Evidence> {
  const readings: Promise<Reading>[] = [];
  const ended = new AbortController();
  const watched: Promise<WaitShares>[] = [];
  const trial = await target.measure({
    ...load,
    client: 'native',
    onStage(stage) {
      if (stage === 'window' || stage === 'drain') readings.push(readMachine(disk));
      if (stage === 'drain') ended.abort();
      if (stage !== 'window') return;
      const waits = watchWaits(client, ended.signal);
      // It rejects again where it is awaited.
      waits.catch(() => undefined);
      watched.push(waits);
    },
  });
  const [before, after] = await Promise.all(readings);
  const [waits] = await Promise.all(watched);
  if (before === undefined || after === undefined || waits === undefined)
    throw new Error('the load client reported no window');
  const seconds = (after.atMs - before.atMs) / 1000;
  return {
    perSecond: trial.tps,
    busy: trial.host?.busyShare ?? Number.NaN,
    serverCpuUs: (trial.cpuUs.database ?? Number.NaN) / trial.result.window.applied,
    clientCpuUs: clientCpuUsOf(trial),
    flushesPerSecond: (after.flushes - before.flushes) / seconds,
    switchesPerSecond: (after.switches - before.switches) / seconds,
    waits,
  };
}

/** What the machine has done since it was started. */
interface Reading {
  readonly atMs: number;
  readonly flushes: number;
  readonly switches: number;
}

async function readMachine(disk: StorageProbe): Promise<Reading> {
  const now = { atMs: performance.now(), flushes: disk.flushes?.() ?? Number.NaN };
  return { ...now, switches: await contextSwitches() };
}

async function contextSwitches(): Promise<number> {
  if (!existsSync(kernelStatistics)) return Number.NaN;
  return Number(/^ctxt (\d+)$/m.exec(await readFile(kernelStatistics, 'utf8'))?.[1]);
}

/** Medians over the rounds. */
function cellsOf(all: readonly Evidence[]): string[] {
  const middle = (of: (evidence: Evidence) => number): number => median(all.map(of));
  return [
    middle(({ perSecond }) => perSecond).toFixed(0),
    percent(middle(({ busy }) => busy)),
    middle(({ serverCpuUs }) => serverCpuUs).toFixed(1),
    middle(({ clientCpuUs }) => clientCpuUs).toFixed(1),
    middle(({ flushesPerSecond }) => flushesPerSecond).toFixed(0),
    middle(({ perSecond, flushesPerSecond }) => perSecond / flushesPerSecond).toFixed(1),
    middle(({ perSecond, switchesPerSecond }) => switchesPerSecond / perSecond).toFixed(1),
    ...waitKinds.map((kind) => percent(middle(({ waits }) => waits[kind]))),
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

const waitsPeriodMs = 25;
/** Sessions of the load client, by what they wait for now; those that wait for nothing use or want a processor. */
const query = `SELECT coalesce(wait_event_type || ':' || wait_event, 'processor') AS event, count(*)::int AS sessions
  FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND application_name LIKE 'fair-bench postgres%'
  GROUP BY 1`;
const rowsSchema = z.array(z.object({ event: z.string(), sessions: z.number() }));

const waitKinds = ['processor', 'log flush', 'row lock', 'client', 'other'] as const;
type WaitKind = (typeof waitKinds)[number];
/** The share of the sessions' time that each kind had; 0 to 1. */
type WaitShares = Readonly<Record<WaitKind, number>>;

/**
 * Asks a server up to forty times a second what its sessions wait for, until `ended`. Rejects when it does not answer, or has no
 * session to show.
 */
async function watchWaits(client: Client, ended: AbortSignal): Promise<WaitShares> {
  const counts = { processor: 0, 'log flush': 0, 'row lock': 0, client: 0, other: 0 };
  let total = 0;
  while (!ended.aborted) {
    const { rows } = await client.query(query);
    for (const { event, sessions } of rowsSchema.parse(rows)) {
      counts[kindOf(event)] += sessions;
      total += sessions;
    }
    await sleep(waitsPeriodMs, undefined, { signal: ended }).catch(() => undefined);
  }
  if (total === 0) throw new Error('PostgreSQL showed no session of the load client');
  return {
    processor: counts.processor / total,
    'log flush': counts['log flush'] / total,
    'row lock': counts['row lock'] / total,
    client: counts.client / total,
    other: counts.other / total,
  };
}

/** By PostgreSQL's names of wait events, which differ in case between its versions. */
function kindOf(event: string): WaitKind {
  const name = event.toLowerCase();
  if (name === 'processor') return 'processor';
  if (name.startsWith('lock:')) return 'row lock';
  if (name.startsWith('client:')) return 'client';
  return /wal/.test(name) ? 'log flush' : 'other';
}
