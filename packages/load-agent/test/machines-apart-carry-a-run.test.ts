import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chosen } from '@fair-bench/contract/test-support';
import type { LoadAgents } from '@fair-bench/runner';
import { readSummary, startCommand } from '../../runner/test/support/command.ts';
import { agentHere } from './support/agent-here.ts';
import { AgentProcess, allGone } from './support/agent-process.ts';
import { type Bench, never, startBench } from './support/bench.ts';
import { textsIn } from './support/texts.ts';
import { Namespaces, whyNoNamespaces } from './support/namespaces.ts';
import { natsProgram, NatsServer, needsNats } from './support/nats-server.ts';
import { expectOneTrial } from './support/one-trial.ts';
import { PostgresMachine } from './support/postgres-machine.ts';

const isPossible = natsProgram !== null && whyNoNamespaces === null;
const names = ['a1', 'a2', 'a3', 'a4'];

/** More than ten seconds: two whole runs, and a cut cable is noticed after five. */
describe.skipIf(!isPossible)(
  'machines of their own: database, NATS, four agents',
  { timeout: 90_000, ...(whyNoNamespaces === null ? needsNats : { meta: { whySkipped: whyNoNamespaces } }) },
  () => {
    let folder: string;
    let machines: Namespaces;
    let postgres: PostgresMachine;
    let nats: NatsServer;
    let bench: Bench;
    let agents: AgentProcess[];
    let loadAgents: LoadAgents;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'machines-apart-'));
      machines = new Namespaces();
      const { host, prefix } = machines.add('nats');
      [postgres, nats, bench] = await Promise.all([
        PostgresMachine.start(machines.add('db')),
        NatsServer.start(host, prefix),
        startBench(machines.host),
      ]);
      const places = names.map((name) => ({ name, on: machines.add(name) }));
      agents = await Promise.all(
        places.map(async ({ name, on }) => AgentProcess.start(name, nats.url, { prefix: on.prefix })),
      );
      loadAgents = await bench.open(nats.url, ['a1', 'a2']);
    }, 60_000);
    afterAll(async () => {
      await loadAgents.close();
      await Promise.all(agents.map(async (agent) => agent.end()));
      await bench.close();
      await nats.close();
      await postgres.close();
      machines.close();
      await rm(folder, { recursive: true, force: true });
    });

    async function loadClientsInWindow() {
      const { trial } = await bench.inWindow(loadAgents);
      return { trial, loadClients: agents.flatMap((agent) => agent.loadClients()) };
    }

    test.each(chosen(['a1,a2', '4'], (wanted) => wanted === '4'))(
      '--load-agents %s: a transfer run by URL, FAIR and audited, that prints no password',
      async (wanted) => {
        const out = await mkdtemp(join(folder, `${wanted}-`));
        const target = ['--systems', 'postgres-driver', '--url', `postgres=${postgres.url}`];
        const where = ['--nats', nats.url, '--load-agents', wanted, '--out', out];
        const load =
          '--sessions 8 --depth 2 --alpha 0.5 --accounts 1000 --trials 1 --duration 1s --warmup 300ms --measure-again 0';
        const command = startCommand(['fair-bench', ...target, ...where, ...load.split(' ')]);
        const code = await command.ended;

        const { cells, verdict } = await readSummary(out);
        expect(cells, command.output()).toMatchObject([
          { status: 'ok', audit: { status: 'passed', mismatches: 0 } },
        ]);
        expect(verdict.fair, command.output()).toBe(true);
        expect(code).toBe(0);
        const texts = await textsIn(out);
        expect(texts.length).toBeGreaterThan(3);
        // Depth 2 was seen on the wire, and not assumed.
        expect(texts.filter((text) => text.includes('"outstandingOnWire": 2'))).toHaveLength(1);
        const secret = new URL(postgres.url).password;
        for (const text of [...texts, command.output(), ...agents.map(({ said }) => said)])
          expect(text).not.toContain(secret);
      },
    );

    test("what the machine of an agent does in the window is in the result, unless it is the runner's own", async () => {
      const foreign = await agentHere(nats.url, 'a0', { boot: 'another' });
      const both = await bench.open(nats.url, ['a0', 'a1']);
      try {
        const { agents: shares = [] } = await both.run(bench.plan(), () => {}, never);
        expect(shares.map(({ name, host }) => [name, host?.cores])).toEqual([
          ['a0', shares[0]?.cores],
          ['a1', undefined],
        ]);
        expect(shares[0]?.host?.busyShare).toBeGreaterThan(0);
      } finally {
        await both.close();
        await foreign.close();
      }
    });

    test('two carry one trial: the operations, the log and the percentiles that one machine would have', async () => {
      await expect(expectOneTrial(bench, loadAgents, nats.url)).resolves.toBeUndefined();
    });

    test('kill -9 of NATS, which restarts at once: void, no load client is left, and the next trial runs', async () => {
      const { trial, loadClients } = await loadClientsInWindow();
      await nats.kill();
      await nats.begin();
      await expect(trial).rejects.toThrow(/NATS at nats:\S+ was lost during the trial/);
      await allGone(loadClients);
      const next = await loadAgents.run(bench.plan(), () => {}, never);
      expect(next.agents?.map(({ name }) => name)).toEqual(['a1', 'a2']);
    });

    test('a cut cable: void with the agent’s name, no load client is left, and the next trial runs once it is repaired', async () => {
      const { trial, loadClients } = await loadClientsInWindow();
      machines.cut('a2');
      await allGone(loadClients);
      machines.mend('a2');
      await expect(trial).rejects.toThrow(/load agent a2: it (was lost: no answer for \d|lost NATS)/);
      const next = await loadAgents.run(bench.plan(), () => {}, never);
      expect(next.agents?.map(({ name }) => name)).toEqual(['a1', 'a2']);
    });

    test('kill -9 of an agent: void with its name, and no load client is left', async () => {
      const { trial, loadClients } = await loadClientsInWindow();
      await agents[1]?.end('SIGKILL');
      await expect(trial).rejects.toThrow(/load agent a2: it was lost/);
      await allGone(loadClients);
    });
  },
);
