import { type ClientName, type Figure, type PassedTrial, pairedRatio } from '@fair-bench/results';
import { messageOf } from '@fair-bench/contract';
import { type BenchContext, clientCpuUsOf, inTurn, median, openBench } from '../../bench.ts';
import { atLeast, atMost, missing } from '../figure-bench.ts';
import { defaultScript, pgbenchMissing, type PgbenchResult, runPgbench } from '../../pgbench.ts';

const rounds = 5;
const windowMs = 3000;
const sessions = 50;
const accounts = 100_000;
const parameters = { accounts };
const direct = 'postgres-driver';

/** Few sessions with high depth, and more with less: where a server with few cores is fastest. */
const bestPoints = [
  { sessions: 8, depth: 40 },
  { sessions: 16, depth: 40 },
  { sessions: 50, depth: 8 },
] as const;

type Part = readonly [name: string, measure: (context: BenchContext) => Promise<readonly Figure[]>];

const parts: readonly Part[] = [
  ['native against pgbench, depth 1, durable', atDepthOne],
  ['native against pgbench, async commits, best depth', atBestDepth],
  ['tuned against default, durable, best point of each', tunedAgainstDefault],
  ['native against Node SDK client', againstSdk],
  ['native and Node client on the same route, the server being the limit', sameRoute],
  ['10,000 connections to the null server', manyConnections],
];

/** The native load client against pgbench, against the Node client, and at its limits. */
export async function nativeFigures(context: BenchContext): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [name, measure] of parts) {
    const found = await measure(context).catch((error: unknown) => [
      missing(name, '', 'to be measured', messageOf(error)),
    ]);
    figures.push(...found);
  }
  return figures;
}

interface Rounds {
  readonly ours: PassedTrial[];
  readonly pgbench: PgbenchResult[];
}

async function besidePgbench(
  context: BenchContext,
  name: string,
  load: { readonly depth: number; readonly sessions: number; readonly sessionOptions: string },
): Promise<Rounds> {
  const why = await pgbenchMissing();
  if (why !== null) throw new Error(why);
  await using bench = await openBench(context, [name]);
  const target = await bench.target(name);
  const found: Rounds = { ours: [], pgbench: [] };
  const { url } = target.deployment.endpoint;
  const durationS = windowMs / 1000;
  const script = await defaultScript(context.root, accounts);
  const { sessionOptions, ...point } = load;
  for (let round = 0; round < rounds; round += 1) {
    found.ours.push(await target.measure({ client: 'native', windowMs, parameters, ...point }));
    found.pgbench.push(
      await runPgbench(context, { url, connections: sessions, durationS, script, sessionOptions }),
    );
  }
  return found;
}

async function atDepthOne(context: BenchContext): Promise<readonly Figure[]> {
  const load = { depth: 1, sessions, sessionOptions: '-c synchronous_commit=on' };
  const { ours, pgbench } = await besidePgbench(context, direct, load);
  const cpu = ours.map(
    (result, round) => clientCpuUsOf(result) / (pgbench[round]?.cpuUsPerTxn ?? Number.NaN),
  );
  const note = `${sessions} connections, durable, median of ${rounds} interleaved rounds; pgbench -M prepared ${rate(pgbench)} tps`;
  return [
    atLeast('native against pgbench -M prepared, depth 1', median(ratios(ours, pgbench)), '×', 1, note),
    atMost('native client CPU per transaction against pgbench', median(cpu), '×', 1, note),
  ];
}

async function atBestDepth(context: BenchContext): Promise<readonly Figure[]> {
  const sessionOptions = '-c synchronous_commit=off';
  const point = await bestPoint(context, `${direct}@async`);
  const { ours, pgbench } = await besidePgbench(context, `${direct}@async`, { ...point, sessionOptions });
  const note =
    `synchronous_commit=off; native ${point.sessions} sessions at depth ${point.depth}, the best of ${bestPoints.length} points; ` +
    `pgbench at ${sessions} connections ${rate(pgbench)} tps; median of ${rounds} interleaved rounds`;
  return [
    atLeast('native at best depth against pgbench, async', median(ratios(ours, pgbench)), '×', 1.8, note),
  ];
}

async function tunedAgainstDefault(context: BenchContext): Promise<readonly Figure[]> {
  const points = [await bestPoint(context, direct), await bestPoint(context, `${direct}@tuned`)] as const;
  await using bench = await openBench(context, [direct, `${direct}@tuned`]);
  const [stock, tuned] = [await bench.target(direct), await bench.target(`${direct}@tuned`)];
  const load = { client: 'native', windowMs, parameters } as const;
  const pairs = await inTurn(
    rounds,
    async () => await stock.measure({ ...load, ...points[0] }),
    async () => await tuned.measure({ ...load, ...points[1] }),
  );
  const { ratio, ci95 } = pairedRatio(
    pairs.map(([{ tps: baseline }, { tps }]) => ({ baseline, contender: tps })),
  );
  const where = points.map((point) => `${point.sessions} × ${point.depth}`).join(' and ');
  const note = `durable, native, best points ${where} (sessions × depth), interval ${interval(ci95)}`;
  return [atLeast('PostgreSQL tuned against default', ratio, '×', 1.3, note)];
}

async function againstSdk(context: BenchContext): Promise<readonly Figure[]> {
  const name = 'spacetimedb-sdk';
  const { node, native } = await bothClients(context, name, { sessions, depth: 40 });
  const note = `${sessions} sessions at depth 40, confirmed, median of ${rounds} interleaved rounds`;
  const cpu = native.map((result, round) => clientCpuUsOf(result) / cpuOf(node[round]));
  return [
    atLeast('SpacetimeDB: native against Node SDK client', median(ratioOf(native, node)), '×', 1, note),
    atMost('SpacetimeDB: CPU per operation, native against Node SDK', median(cpu), '×', 0.5, note),
  ];
}

/** Behind an application server of one process, the bottleneck of either client. */
async function sameRoute(context: BenchContext): Promise<readonly Figure[]> {
  const name = 'postgres-drizzle@processes-1';
  const { node, native } = await bothClients(context, name, { sessions, depth: 1 });
  const pairs = node.map((result, round) => ({
    baseline: result.tps,
    contender: at(native, round).tps,
  }));
  const { ratio, ci95 } = pairedRatio(pairs);
  const distance = ci95 === null || ci95[0] > 1 || ci95[1] < 1 ? Math.abs(Math.log(ratio)) : 0;
  const note = `${name}, ${sessions} sessions, depth 1: native ÷ Node ${ratio.toFixed(3)}, interval ${interval(ci95)}; 0 where it holds 1, else |ln ratio|`;
  return [atMost('native and Node client agree on the same route', distance, '', 0, note)];
}

async function manyConnections(context: BenchContext): Promise<readonly Figure[]> {
  await using bench = await openBench(context, ['null-http']);
  const target = await bench.target('null-http');
  const { result, tps } = await target.measure({
    client: 'native',
    sessions: 10_000,
    depth: 1,
    windowMs: 5000,
  });
  const faults = Object.values(result.total.faults).reduce((sum, count) => sum + count, 0);
  const note = `null server, depth 1, ${Math.round(tps)} operations per second, audited`;
  return [
    atMost(
      'native client memory at 10,000 connections',
      result.effort.rssBytesMax / 2 ** 20,
      'MiB',
      1024,
      note,
    ),
    atMost('operations lost at 10,000 connections', faults + result.unanswered, '', 0, note),
  ];
}

async function bothClients(
  context: BenchContext,
  name: string,
  point: { readonly sessions: number; readonly depth: number },
): Promise<Readonly<Record<ClientName, readonly PassedTrial[]>>> {
  await using bench = await openBench(context, [name]);
  const target = await bench.target(name);
  const by = (client: ClientName) => async () =>
    await target.measure({ client, windowMs, parameters, ...point });
  const pairs = await inTurn(rounds, by('node'), by('native'));
  return { node: pairs.map(([node]) => node), native: pairs.map(([, native]) => native) };
}

async function bestPoint(context: BenchContext, name: string): Promise<(typeof bestPoints)[number]> {
  await using bench = await openBench(context, [name]);
  const target = await bench.target(name);
  let best: { readonly point: (typeof bestPoints)[number]; readonly tps: number } | null = null;
  for (const point of bestPoints) {
    const { tps } = await target.measure({ client: 'native', windowMs: 1500, parameters, ...point });
    if (best === null || tps > best.tps) best = { point, tps };
  }
  return best?.point ?? bestPoints[0];
}

function ratios(ours: readonly PassedTrial[], pgbench: readonly PgbenchResult[]): number[] {
  return ours.map((result, round) => result.tps / (pgbench[round]?.tps ?? Number.NaN));
}

function ratioOf(contender: readonly PassedTrial[], baseline: readonly PassedTrial[]): number[] {
  return contender.map((result, round) => result.tps / at(baseline, round).tps);
}

function at(results: readonly PassedTrial[], round: number): PassedTrial {
  const result = results[round];
  if (result === undefined) throw new Error(`self-bench: round ${round + 1} has no result`);
  return result;
}

function cpuOf(result: PassedTrial | undefined): number {
  return result === undefined ? Number.NaN : clientCpuUsOf(result);
}

function rate(pgbench: readonly PgbenchResult[]): number {
  return Math.round(median(pgbench.map(({ tps }) => tps)));
}

function interval(ci95: readonly [number, number] | null): string {
  return ci95 === null ? 'none' : `[${ci95[0].toFixed(3)}, ${ci95[1].toFixed(3)}]`;
}
