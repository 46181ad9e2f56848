import { chosen } from '@fair-bench/contract/test-support';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { caughtOtherwise, lyingLoadClient, measuredUndisturbed } from '@fair-bench/conformance/test-support';
import type { LoadAgents } from '@fair-bench/runner';
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { agentEventSchema, connectNats, decode, type LoadAgent, subjects } from '../src/index.ts';
import { agentHere } from './support/agent-here.ts';
import { AgentProcess } from './support/agent-process.ts';
import { type Bench, never, startBench } from './support/bench.ts';
import { natsProgram, NatsServer, needsNats } from './support/nats-server.ts';

describe.skipIf(natsProgram === null)('beside an honest agent', { timeout: 30_000, ...needsNats }, () => {
  let bench: Bench;
  let nats: NatsServer;
  let honest: AgentProcess;
  let loadAgents: LoadAgents;
  let other: LoadAgent | null = null;
  let stranger: NatsConnection | null = null;

  beforeAll(async () => {
    [bench, nats] = await Promise.all([startBench(), NatsServer.start()]);
    honest = await AgentProcess.start('a1', nats.url);
    loadAgents = await bench.open(nats.url, ['a1', 'a2']);
  }, 30_000);
  afterEach(async () => {
    await stranger?.close();
    await other?.close();
  });
  afterAll(async () => {
    await loadAgents.close();
    await honest.end();
    await nats.close();
    await bench.close();
  });

  const liars = [
    ['begins-its-window-late', /the window of load agent a2 began up to \d{3,}/],
    [
      'has-a-clock-behind',
      /the window of load agent a2 was heard of [12]\d\d\.\d ms later than its clock says/,
    ],
    ['has-a-clock-ahead', /the window of load agent a2 was heard of \d+\.\d ms before its clock says/],
    [
      'slows-its-clock-among-others',
      /the window of load agent a2 was 1000 ms long by its clock, 1[12]\d\d ms by the runner's/,
    ],
    ['sends-twice', /sums that no choice/],
    // In its own part of the load: the canaries of the others are there. Where it runs further ahead, what it
    // acknowledged queues at the server, and that rule is asked first.
    [
      'acknowledges-early',
      /\d operations (that were acknowledged were not visible to another|outstanding; )/,
    ],
  ] as const;
  // The judge of their windows has the others as records: analysis/test.
  test.each(chosen(liars, ([lie]) => lie === 'begins-its-window-late' || lie === 'sends-twice'))(
    'one that %s voids the trial',
    async (lie, reason) => {
      other = await agentHere(nats.url, 'a2', { words: [lyingLoadClient, lie] });
      const record = await measuredUndisturbed(lie, async () => await bench.audited(loadAgents));
      expect(record.status === 'ok' ? record.status : record.reason).toMatch(reason);
      expect(caughtOtherwise(lie, record)).toEqual([]);
    },
  );

  test('an honest one passes the audit in the same setting', async () => {
    other = await agentHere(nats.url, 'a2', { words: [lyingLoadClient, 'none'] });
    const senders = new Set<string>();
    let canaries = 0;
    await overhear('event', (_from, message) => {
      const { event } = decode(agentEventSchema, message);
      if (event.type !== 'canary') return;
      canaries += 1;
      senders.add(message.subject);
    });
    const record = await bench.audited(loadAgents);
    expect(record.status === 'ok' ? record.status : record.reason).toBe('ok');
    expect(record.audit).toMatchObject({ status: 'passed', mismatches: 0 });
    // Each of the five is sent once, and both agents send some.
    expect(canaries).toBe(5);
    expect(senders.size).toBe(2);
    const observed = { planned: 5, read: 5, visible: 5, problems: [] };
    expect(record).toMatchObject({ observed: { canaries: observed } });
  });

  test('one of another build is refused at once, by its name', async () => {
    other = await agentHere(nats.url, 'a2', { build: 'another' });
    const beganMs = performance.now();
    const trial = loadAgents.run(bench.plan(), () => {}, never);
    await expect(trial).rejects.toThrow(/load agent a2: its node load client is build another, this is/);
    expect(performance.now() - beganMs).toBeLessThan(5000);
  });

  test('one of another version, which says other things of itself, is refused by its name, at once', async () => {
    stranger = await connectNats({ url: nats.url, authFile: null }, { name: 'a2' });
    stranger.subscribe(subjects.hello, {
      callback: (_error, message) => void message.respond(JSON.stringify({ name: 'a2', moreCores: 4 })),
    });
    await stranger.flush();
    const trial = loadAgents.run(bench.plan(), () => {}, never);
    await expect(trial).rejects.toThrow(/^load agent a2: it is of another version .*; check out the same/);
  });

  test('one of another machine is refused for a target whose address is a loopback one', async () => {
    other = await agentHere(nats.url, 'a2', { boot: 'another' });
    const trial = loadAgents.run(bench.plan(), () => {}, never);
    await expect(trial).rejects.toThrow(
      /^load agent a2: the target's address is one of its own machine, .*; name the target by --url/,
    );
  });

  /** Somebody who hears what is sent on a subject. */
  async function overhear(verb: string, hear: (from: NatsConnection, message: Msg) => void): Promise<void> {
    const nobody = await connectNats({ url: nats.url, authFile: null }, { name: 'stranger' });
    stranger = nobody;
    nobody.subscribe(`fair-bench.run.*.*.${verb}`, { callback: (_error, message) => hear(nobody, message) });
    await nobody.flush();
  }

  /** Somebody who repeats it, once. */
  async function repeat(verb: string, again: (from: NatsConnection, message: Msg) => void): Promise<void> {
    const heard = new Set<string>();
    await overhear(verb, (from, message) => {
      if (heard.has(message.string())) return;
      heard.add(message.string());
      again(from, message);
    });
  }

  test('a plan that comes again is refused: one load client carries it out', async () => {
    other = await agentHere(nats.url, 'a2');
    const answers: Promise<unknown>[] = [];
    await repeat('plan', (from, { subject, data }) => {
      for (let time = 0; time < 3; time += 1) {
        answers.push(from.request(subject, data, { timeout: 5000 }).then((answer) => answer.json()));
      }
    });
    const loadClients = new Set<number>();
    await loadAgents.run(
      bench.plan(),
      () => honest.loadClients().forEach((pid) => loadClients.add(pid)),
      never,
    );
    expect(loadClients.size).toBe(1);
    expect(answers).toHaveLength(6);
    const refused = { accepted: false, reason: 'this plan was delivered before' };
    expect(await Promise.all(answers)).toEqual(answers.map(() => refused));
  });

  test('a repeated message of a load client voids the trial and names its agent', async () => {
    other = await agentHere(nats.url, 'a2');
    await repeat('event', (from, { subject, data }) => from.publish(subject, data));
    const trial = loadAgents.run(bench.plan(), () => {}, never);
    await expect(trial).rejects.toThrow(/load agent a[12]: message \d+ of its load client came twice/);
  });
});
