import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Figure } from '@fair-bench/results';
import { type JsonObject, messageOf } from '@fair-bench/contract';
import { defaultParameters, plannedJson, resolveWorkload } from '@fair-bench/workload';
import ycsb from '@fair-bench/workloads/ycsb';
import { z } from 'zod';
import { type BenchContext, median, openBench, pairOf } from '../../bench.ts';
import { atLeast, atMost, missing } from '../figure-bench.ts';

const rounds = 5;
const windowMs = 2000;
/** They fit in a processor's cache: what is measured is the harness, not the memory. */
const fewRecords = 1_000;
/** As many rows as the claim `basin-steel` has, of 1,000 bytes each. */
const manyRecords = 50_000;
const goals = { nativeNs: 150, nodeNs: 600, besidePlainLoop: 0.85, verified: 0.8 };

const nsSchema = z.number().positive();
const speedSchema = z.strictObject({
  null: nsSchema,
  nullUnverified: nsSchema,
  drawing: nsSchema,
  clock: nsSchema,
  lmdb: nsSchema,
  lmdbUnverified: nsSchema,
  lmdbPlain: nsSchema,
});

type Part = readonly [name: string, measure: (context: BenchContext) => Promise<readonly Figure[]>];

const parts: readonly Part[] = [
  ['an operation by the Node load client', byNode],
  ['an operation by the native load client', byNative],
];

/**
 * The harness's own share of an operation on engines inside the load client, YCSB C by one thread: generated, dispatched, timed,
 * verified and recorded. The price of verification is that of the outcome log and of all checks of a reply.
 */
export async function engineFigures(context: BenchContext): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [name, measure] of parts) {
    const found = await measure(context).catch((error: unknown) => [
      missing(name, 'ns', 'to be measured', messageOf(error)),
    ]);
    figures.push(...found);
  }
  return figures;
}

async function byNode(context: BenchContext): Promise<readonly Figure[]> {
  await using bench = await openBench(context, ['null-embedded'], {}, ycsb.name);
  const target = await bench.target('null-embedded');
  const load = { sessions: 1, windowMs, parameters: { mix: 'c', records: fewRecords } };
  const verified: number[] = [];
  const unverified: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const audited = async () => await target.measure(load);
    const [trial, tps] = await pairOf(round, audited, async () => await target.rateWithoutLog(load));
    verified.push(trial.tps);
    unverified.push(tps);
  }
  const [ns, nsUnverified] = [1e9 / Math.max(...verified), 1e9 / Math.max(...unverified)];
  const kept = median(verified.map((tps, round) => tps / (unverified[round] ?? Number.NaN)));
  const note = `null-embedded, YCSB C, ${fewRecords} records, one session, best of ${rounds} rounds of ${windowMs} ms; ${nsUnverified.toFixed(0)} ns without verification`;
  return [
    atMost('Node: an operation on the null engine', ns, 'ns', goals.nodeNs, note),
    atLeast('Node: throughput on the null engine, verified against not', kept, '×', goals.verified, note),
  ];
}

async function byNative(context: BenchContext): Promise<readonly Figure[]> {
  await using bench = await openBench(context, ['lmdb-heed'], {}, ycsb.name);
  const { deployment } = await bench.target('lmdb-heed');
  const { steps } = deployment.endpoint.options;
  if (steps === undefined) throw new Error('lmdb-heed: its endpoint has no steps');
  const speed = await measureSpeed(context, {
    null: plannedWith(fewRecords),
    lmdb: plannedWith(manyRecords),
    steps,
  });
  const ns = (value: number): string => `${value.toFixed(0)} ns`;
  const ofNull =
    `YCSB C, ${fewRecords} records, one session; of it drawing ${ns(speed.drawing)}, each of two readings of the clock ${ns(speed.clock)}; ` +
    `${ns(speed.nullUnverified)} without verification`;
  const ofLmdb =
    `YCSB C, ${manyRecords} records, one session: ${ns(speed.lmdb)} by the client, ${ns(speed.lmdbUnverified)} without verification, ` +
    `${ns(speed.lmdbPlain)} by the plainest loop`;
  return [
    atMost('native: an operation on the null engine', speed.null, 'ns', goals.nativeNs, ofNull),
    atLeast(
      'native: LMDB against the plainest loop',
      speed.lmdbPlain / speed.lmdb,
      '×',
      goals.besidePlainLoop,
      ofLmdb,
    ),
    atLeast(
      'native: throughput on LMDB, verified against not',
      speed.lmdbUnverified / speed.lmdb,
      '×',
      goals.verified,
      ofLmdb,
    ),
  ];
}

function plannedWith(records: number): JsonObject {
  return plannedJson(resolveWorkload(ycsb, { ...defaultParameters(ycsb), mix: 'c', records }));
}

/** Runs `native/engines/examples/speed.rs`, built by cargo. Rejects with the end of what it wrote. */
async function measureSpeed(
  { root, signal }: BenchContext,
  input: JsonObject,
): Promise<z.infer<typeof speedSchema>> {
  const words = [
    'run',
    '--release',
    '--locked',
    '--quiet',
    '--package=fair-bench-engines',
    '--example=speed',
  ];
  const cargo = spawn('cargo', [...words, '--no-default-features', '--features=lmdb'], { cwd: root, signal });
  cargo.stdin.on('error', () => undefined).end(JSON.stringify(input));
  const ended = once(cargo, 'close');
  const [printed, errors] = await Promise.all([text(cargo.stdout), text(cargo.stderr), ended]);
  if (cargo.exitCode !== 0) throw new Error(`cargo ${words.join(' ')} failed: ${errors.slice(-500)}`);
  return speedSchema.parse(JSON.parse(printed));
}
