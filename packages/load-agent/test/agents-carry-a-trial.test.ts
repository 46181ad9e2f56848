import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkAgentWindows } from '../../analysis/src/audit/checks/agent-windows.ts';
import type { ClientEvent } from '@fair-bench/results';
import type { LoadAgents } from '@fair-bench/runner';
import { readOutcomeLog } from '@fair-bench/workload';
import { connectNats, LoadAgent, buildsOf, clientModulesOf } from '../src/index.ts';
import { AgentProcess, isAlive } from './support/agent-process.ts';
import { never, root, startBench } from './support/bench.ts';
import { natsProgram, NatsServer } from './support/nats-server.ts';

describe.skipIf(natsProgram === null)('load agents', { timeout: 60_000 }, () => {
  let bench: Awaited<ReturnType<typeof startBench>>;
  let nats: NatsServer;
  let agents: AgentProcess[] = [];
  let carrier: LoadAgents;

  beforeAll(async () => {
    bench = await startBench();
  });
  afterAll(async () => {
    await bench.close();
  });
  beforeEach(async () => {
    nats = await NatsServer.start();
    agents = await Promise.all(['a1', 'a2'].map(async (name) => AgentProcess.start(name, nats.url)));
    const access = { url: nats.url, authFile: null };
    carrier = await bench.open({ access, wanted: { kind: 'names', names: ['a1', 'a2'] } });
  });
  afterEach(async () => {
    await carrier.close();
    for (const agent of agents) await agent.end();
    await nats.close();
  });

  /** Starts a long trial and resolves when it is in its window. */
  async function inWindow() {
    const begun = Promise.withResolvers<void>();
    const { timing } = bench.plan();
    const plan = bench.plan({ timing: { ...timing, windowMs: 60_000 } });
    const onEvent = (event: ClientEvent): void => {
      if (event.type === 'phase' && event.phase === 'window') begun.resolve();
    };
    const trial = carrier.carry(plan, onEvent, never);
    trial.catch(begun.reject);
    await begun.promise;
    const loadClients = agents.flatMap((agent) => agent.loadClients());
    expect(loadClients).toHaveLength(2);
    return { trial, loadClients };
  }

  async function allGone(pids: readonly number[]): Promise<void> {
    for (let left = 100; left > 0 && pids.some(isAlive); left -= 1) await sleep(100);
    expect(pids.filter(isAlive)).toEqual([]);
  }

  test('two carry one trial: windows side by side, the operations that one machine sends, and a log of all', async () => {
    const plan = bench.plan({ depth: 1 });
    const events: string[] = [];

    const result = await carrier.carry(
      plan,
      (event) => events.push(event.type === 'phase' ? event.phase : event.type),
      never,
    );
    const streams = bench.streams();
    await bench.here(bench.plan({ depth: 1 }));

    expect(events.filter((event) => event !== 'progress')).toEqual(['ready', 'warmup', 'window', 'drain']);
    expect(
      result.agents?.map(({ name, sessionFirst, sessionCount }) => [name, sessionFirst, sessionCount]),
    ).toEqual([
      ['a1', 0, 2],
      ['a2', 2, 3],
    ]);
    expect(result.window.applied).toBe(result.agents?.reduce((sum, { applied }) => sum + applied, 0));
    expect(result.timing.windowMs).toBeCloseTo(1000, 3);
    if (result.log === null) throw new Error('the trial left no log');
    const logs = await readOutcomeLog(result.log);
    expect(logs.map(({ session }) => session)).toEqual([0, 1, 2, 3, 4]);
    expect(streams).toHaveLength(5);
    expect(new Set(streams).size).toBe(5);
    expect(bench.streams()).toEqual(streams);
  });

  test('kill -9 of an agent voids the trial by its name, ends its load client, and the next trial takes another', async () => {
    const { trial, loadClients } = await inWindow();
    await agents[1]?.end('SIGKILL');

    await expect(trial).rejects.toThrow(/load agent a2: it was lost/);
    await allGone(loadClients);
    agents[1] = await AgentProcess.start('a2', nats.url);
    const next = await carrier.carry(bench.plan(), () => {}, never);
    expect(next.agents?.map(({ name }) => name)).toEqual(['a1', 'a2']);
  });

  test('kill -9 of NATS voids the trial, leaves no load client, and the next trial runs once it is back', async () => {
    const { trial, loadClients } = await inWindow();
    await nats.kill();

    await expect(trial).rejects.toThrow(/NATS at nats:\S+ was lost during the trial/);
    await allGone(loadClients);
    await nats.begin();
    const next = await carrier.carry(bench.plan(), () => {}, never);
    expect(next.agents).toHaveLength(2);
  });

  test('an agent that hears of its window too late voids the trial by its name', async () => {
    await agents[1]?.end();
    const connection = await connectNats({ url: nats.url, authFile: null }, { name: 'liar', waits: false });
    const liar = new LoadAgent(connection, {
      root,
      name: 'a2',
      version: 'test',
      builds: { node: (await buildsOf(root)).node, native: null },
      programs: { node: { command: process.execPath, arguments: [lateLoadClient] }, native: null },
      clientModules: await clientModulesOf(root),
      say: () => {},
    });
    try {
      const result = await carrier.carry(bench.plan(), () => {}, never);

      expect(result.agents?.[1]?.windowSkewMs).toBeGreaterThan(300);
      expect(checkAgentWindows({ result })).toMatchObject([
        { severity: 'void', message: expect.stringMatching(/load agent a2 began up to/) },
      ]);
    } finally {
      await liar.close();
    }
  });

  test('an agent of another build is refused by its name', async () => {
    await agents[1]?.end();
    const connection = await connectNats({ url: nats.url, authFile: null }, { name: 'other', waits: false });
    const other = new LoadAgent(connection, {
      root,
      name: 'a2',
      version: 'test',
      builds: { node: 'another', native: null },
      programs: { node: null, native: null },
      clientModules: new Set(),
      say: () => {},
    });
    try {
      const trial = carrier.carry(bench.plan(), () => {}, never);
      await expect(trial).rejects.toThrow(/load agent a2: its node load client is build another, this is/);
    } finally {
      await other.close();
    }
  });
});

const lateLoadClient = fileURLToPath(
  new URL('../../conformance/src/liars/late-load-client.ts', import.meta.url),
);
