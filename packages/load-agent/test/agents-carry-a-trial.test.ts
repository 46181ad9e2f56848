import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LoadAgents } from '@fair-bench/runner';
import { AgentProcess, allGone } from './support/agent-process.ts';
import { type Bench, never, startBench } from './support/bench.ts';
import { whyNoNamespaces } from './support/namespaces.ts';
import { natsProgram, NatsServer, needsNats } from './support/nats-server.ts';
import { expectOneTrial } from './support/one-trial.ts';
import { Wire } from './support/wire.ts';

/** Then what two of these show is shown between machines. */
const canBeApart = whyNoNamespaces === null;
const shownApart = { meta: { whySkipped: 'machines-apart-carry-a-run.test.ts shows it between machines' } };

describe.skipIf(natsProgram === null)('load agents', { timeout: 60_000, ...needsNats }, () => {
  let bench: Bench;
  let nats: NatsServer;
  let agents: AgentProcess[] = [];
  let loadAgents: LoadAgents;

  beforeAll(async () => {
    bench = await startBench();
  });
  afterAll(async () => {
    await bench.close();
  });
  beforeEach(async () => {
    nats = await NatsServer.start();
    agents = await Promise.all(['a1', 'a2'].map(async (name) => AgentProcess.start(name, nats.url)));
    loadAgents = await bench.open(nats.url, ['a1', 'a2']);
  });
  afterEach(async () => {
    await loadAgents.close();
    for (const agent of agents) await agent.end();
    await nats.close();
  });

  /** A long trial that is in its window, and its load clients. */
  async function inWindow(by = loadAgents) {
    const { trial } = await bench.inWindow(by);
    const loadClients = agents.flatMap((agent) => agent.loadClients());
    expect(loadClients).toHaveLength(2);
    return { trial, loadClients };
  }

  test.skipIf(canBeApart)(
    'two carry one trial: the operations, the log and the percentiles that one machine would have',
    shownApart,
    async () => {
      await expect(expectOneTrial(bench, loadAgents, nats.url)).resolves.toBeUndefined();
    },
  );

  test('kill -9 of an agent voids the trial by its name, ends its load client, and the next trial takes another', async () => {
    const { trial, loadClients } = await inWindow();
    await agents[1]?.end('SIGKILL');

    await expect(trial).rejects.toThrow(/load agent a2: it was lost/);
    await allGone(loadClients);
    agents[1] = await AgentProcess.start('a2', nats.url);
    const next = await loadAgents.run(bench.plan(), () => {}, never);
    expect(next.agents?.map(({ name }) => name)).toEqual(['a1', 'a2']);
  });

  test.skipIf(canBeApart)(
    'kill -9 of NATS voids the trial, leaves no load client, and the next trial runs once it is back',
    shownApart,
    async () => {
      const { trial, loadClients } = await inWindow();
      await nats.kill();

      await expect(trial).rejects.toThrow(/NATS at nats:\S+ was lost during the trial/);
      await allGone(loadClients);
      await nats.begin();
      const next = await loadAgents.run(bench.plan(), () => {}, never);
      expect(next.agents).toHaveLength(2);
    },
  );

  test('a runner that loses NATS voids the trial, and its next plan ends the agents’ old one', async () => {
    const wire = await Wire.to(nats.port);
    const runner = await bench.open(`nats://127.0.0.1:${wire.port}`, ['a1', 'a2']);
    try {
      const { trial, loadClients } = await inWindow(runner);
      wire.cut();

      await expect(trial).rejects.toThrow(/NATS at nats:\S+ was lost during the trial/);
      const next = await runner.run(bench.plan(), () => {}, never);
      expect(next.agents).toHaveLength(2);
      await allGone(loadClients);
    } finally {
      await runner.close();
      wire.close();
    }
  });
});
