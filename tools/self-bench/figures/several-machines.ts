import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Figure } from '@fair-bench/results';
import { createSupervisor, findProgram, type RunSupervisor } from '@fair-bench/supervisor';
import { LoadAgents } from '@fair-bench/runner';
import { type BenchContext, type BenchTarget, median, openBench } from '../../bench.ts';
import { atMost, missing } from '../figure-bench.ts';

const sessions = 10_000;
/** The rate of one agent: far below a client's limit, so that all of them fit on this machine. */
const ratePerAgent = 500;
const agentCounts = [1, 2, 4] as const;
const rounds = 3;
const windowMs = 4000;
const distanceMax = 0.05;

/** Load agents with a capped rate each, all on this machine: two must reach twice, four four times the rate of one. */
export async function severalMachinesFigures(context: BenchContext): Promise<readonly Figure[]> {
  const program = await findProgram({ system: 'nats', names: ['nats-server'] });
  if (program === null) {
    return [missing('load agents against one', '×', 'to be compared', 'nats-server is not on PATH')];
  }
  const { directory: logDirectory, signal } = context;
  const supervisor = createSupervisor({ logDirectory, signal });
  try {
    const url = await startNats(supervisor, program);
    for (let number = 1; number <= Math.max(...agentCounts); number += 1)
      await startAgent(supervisor, context.root, url, number);
    return await compareAgents(context, url);
  } finally {
    await supervisor.stopAll();
  }
}

async function compareAgents(context: BenchContext, url: string): Promise<readonly Figure[]> {
  await using bench = await openBench(context, ['null-http']);
  const target = await bench.target('null-http');
  const ratios = new Map<number, number[]>(agentCounts.map((count) => [count, []]));
  for (let round = 0; round < rounds; round += 1) {
    const tps = new Map<number, number>();
    for (const count of agentCounts) tps.set(count, await tpsBy(context, target, url, count));
    for (const [count, all] of ratios) all.push((tps.get(count) ?? 0) / (tps.get(1) ?? 0));
  }
  return agentCounts.slice(1).map((count) => figureOf(count, median(ratios.get(count) ?? [])));
}

function figureOf(count: number, ratio: number): Figure {
  const how = `null server, ${sessions} sessions in all, ${ratePerAgent} operations a second for each agent, median of ${rounds} rounds of ${windowMs} ms`;
  return atMost(
    `${count} load agents against one, distance from ${count} ×`,
    Math.abs(ratio / count - 1),
    '',
    distanceMax,
    `${ratio.toFixed(3)} ×; ${how}`,
  );
}

async function tpsBy(
  context: BenchContext,
  target: BenchTarget,
  url: string,
  count: number,
): Promise<number> {
  const setting = { access: { url, authFile: null }, wanted: { kind: 'count', count } } as const;
  await using agents = await LoadAgents.open(setting, `self-bench-${count}`, context.root);
  if (agents === null) throw new Error('no load agents were opened');
  const ratePerSecond = ratePerAgent * count;
  const { result } = await target.measure({ sessions, windowMs, ratePerSecond, agents });
  if (result.agents?.length !== count) throw new Error(`${result.agents?.length} agents instead of ${count}`);
  return (result.window.applied / result.timing.windowMs) * 1000;
}

async function startNats(supervisor: RunSupervisor, command: string): Promise<string> {
  const port = await supervisor.freePort();
  const store = await supervisor.directory('nats');
  await supervisor.start({
    name: 'nats-server',
    command,
    arguments: ['-js', '-sd', store, '-a', '127.0.0.1', '-p', String(port)],
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 5000,
    ready: { timeoutMs: 10_000, check: async () => await listens(port) },
  });
  return `nats://127.0.0.1:${port}`;
}

async function startAgent(
  supervisor: RunSupervisor,
  root: string,
  url: string,
  number: number,
): Promise<void> {
  const main = join(root, 'packages/load-agent/src/main.ts');
  const name = `a${number}`;
  await supervisor.start({
    name: `load-agent-${name}`,
    command: process.execPath,
    arguments: [main, '--nats', url, '--name', name, '--client', 'node'],
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 5000,
    // The first trial also waits for all preparations.
    ready: { timeoutMs: 10_000, check: () => true },
  });
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
