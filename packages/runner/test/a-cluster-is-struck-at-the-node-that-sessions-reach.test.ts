import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faultTrialSchema } from '@fair-bench/results';
import { afterAll, expect, test } from 'vitest';
import { startCommand } from './support/command.ts';
import { GaleraTrioDouble } from './support/galera-trio-double.ts';
import { PostgresPairDouble } from './support/postgres-pair-double.ts';

const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-cluster-'));
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

const short =
  '--alpha 0.5 --accounts 1000 --depth 1 --sessions 8 --duration 500ms --warmup 100ms --trials 1 --measure-again 3 --fault-trials 1 --rate 100'.split(
    ' ',
  );

interface Cluster {
  readonly connector: string;
  readonly url: string;
  readonly nodes: readonly object[];
}

/** One fault of a cluster, by the command line and a configuration. */
async function faultOf(cluster: Cluster, fault: string) {
  const folder = await mkdtemp(join(scratch, 'pair-'));
  const config = join(folder, 'fair-bench.config.ts');
  await writeFile(config, `export default ${JSON.stringify({ targets: { cluster } })};\n`);
  const out = join(folder, 'run');
  const run = startCommand([
    'fair-bench',
    '--config',
    config,
    '--systems',
    'cluster',
    '--fault',
    fault,
    ...short,
    '--out',
    out,
  ]);
  await run.ended;
  const files = (await readdir(join(out, 'faults')).catch(() => [])).filter((name) => name.endsWith('.json'));
  const [file] = files;
  if (file === undefined) throw new Error(run.output());
  return {
    output: run.output(),
    trial: faultTrialSchema.parse(JSON.parse(await readFile(join(out, 'faults', file), 'utf8'))),
  };
}

function ofPair(pair: PostgresPairDouble, byCommand: boolean): Cluster {
  return { connector: 'postgres-driver', url: pair.url, nodes: pair.nodes(byCommand).toReversed() };
}

const skipped = process.platform === 'linux' ? null : 'processes are found in /proc, which is Linux';

test('a synchronous standby that takes over has every acknowledged operation', async ({ skip }) => {
  skip(skipped !== null, skipped ?? '');
  await using pair = await PostgresPairDouble.open(true);
  const { trial, output } = await faultOf(ofPair(pair, true), 'kill@2s');
  expect(pair.hasFailedOver).toBe(true);
  expect(trial.status === 'ok' ? trial.rows : trial, output).toMatchObject({
    outcome: 'kept',
    lost: 0,
    doubled: 0,
  });
  const { course, notBack } = trial.status === 'ok' ? trial : { course: null, notBack: '' };
  expect(course?.firstAppliedMs, output).toBeGreaterThan(course?.beganMs ?? Infinity);
  expect(notBack).toMatch(
    /postgres-driver: node postgres:\/\/fair_bench@127.0.0.1:\d+\/postgres: .*it needs pg_rewind/s,
  );
}, 120_000);

test('a standby that commits do not wait for lacks what was acknowledged last', async ({ skip }) => {
  skip(skipped !== null, skipped ?? '');
  await using pair = await PostgresPairDouble.open(false);
  const { trial, output } = await faultOf(ofPair(pair, true), 'kill@2s');
  expect(pair.hasFailedOver).toBe(true);
  expect(trial.status === 'ok' ? trial.rows.outcome : trial, output).toBe('lost');
  expect(trial.status === 'ok' ? trial.rows.lost : 0).toBeGreaterThan(0);
}, 120_000);

test('without a command the process that listens at the node’s port is paused, and the other node goes on', async ({
  skip,
}) => {
  skip(skipped !== null, skipped ?? '');
  await using pair = await PostgresPairDouble.open(true);
  const { trial, output } = await faultOf(ofPair(pair, false), 'pause:1s@2s');
  expect(pair.hasFailedOver).toBe(false);
  expect(trial.status === 'ok' ? trial.rows : trial, output).toMatchObject({ outcome: 'kept' });
  const { course } = trial.status === 'ok' ? trial : { course: null };
  expect((course?.firstAppliedMs ?? 0) - (course?.beganMs ?? 0), output).toBeGreaterThan(900);
}, 120_000);

test('of three nodes of Galera the one that is written to is killed, and the others have every acknowledged operation', async ({
  skip,
}) => {
  const lack = await GaleraTrioDouble.lack();
  skip(lack !== null, lack ?? '');
  await using trio = await GaleraTrioDouble.open();
  const cluster = { connector: 'mariadb-driver', url: trio.url, nodes: trio.nodes.toReversed() };
  const { trial, output } = await faultOf(cluster, 'kill@2s');
  expect(trio.failovers, output).toBe(1);
  expect(trial.status === 'ok' ? trial.rows : trial, output).toMatchObject({
    outcome: 'kept',
    lost: 0,
    doubled: 0,
  });
}, 180_000);
