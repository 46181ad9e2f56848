import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClientResult, type LoadMachine, protocolVersion, type TrialPlan } from '@fair-bench/results';
import { readOutcomeLog, writeOutcomeLog } from '@fair-bench/workload';
import { expect, onTestFinished, test } from 'vitest';
import { planOf, present, resultOf } from '@fair-bench/analysis/test-support';
import { collectParts, type StoredPart } from '../src/measure/collect-parts.ts';
import type { LoadClientSource } from '../src/measure/load-client-process.ts';
import { WireDepths } from '../src/measure/wire-depth.ts';

const plan: TrialPlan = {
  protocol: protocolVersion,
  trialId: 'run/cell-r0',
  client: { kind: 'native', protocol: 'none' },
  endpoint: { url: 'http://127.0.0.1:1', options: {} },
  workload: {},
  sessions: 50,
  share: { sessionFirst: 10, sessionCount: 40 },
  depth: 1,
  batch: 1,
  threads: 2,
  loop: { kind: 'closed' },
  timing: {
    warmupMs: 1000,
    warmupMsMax: 1000,
    windowMs: 2000,
    windowMsMax: 2000,
    drainMs: 1,
    connectMs: 1,
    operationMs: 1,
  },
  canaries: [],
  logPath: null,
};

const cell = present(planOf({ targets: ['alpha-http'] }).cells[0]);
const machine: LoadMachine = {
  name: 'a1',
  host: 'h',
  cores: 8,
  memoryBytes: 1,
  runtime: 'node',
  version: '1',
  builds: { node: null, native: null },
};
const calm = { cores: 8, busyShare: 0.1, stealShare: 0, waitingShare: null, runnable: null };
const host = { ...calm, foreignShare: 0.2, foreignMost: null };

/** By its own clock, which is 1.1 ms ahead of ours, it started its first operation at 5.0011 s. */
function resultBy(effort: Partial<ClientResult['effort']>): ClientResult {
  const { steadyState: _, ...result } = resultOf({ cell, round: 0, applied: 1000 });
  return {
    ...result,
    timing: { ...result.timing, startUs: 5_001_100 },
    effort: {
      ...result.effort,
      cpuUserUs: 1_200_000,
      cpuSystemUs: 400_000,
      loopUtilization: null,
      ...effort,
    },
  };
}

/** A double of a bucket of NATS. */
function doubleOfStore(
  objects: ReadonlyMap<string, Uint8Array>,
): Parameters<typeof collectParts>[0]['store'] {
  const bytesOf = (name: string): Uint8Array => present(objects.get(name));
  return {
    getBlob: (name) => Promise.resolve(bytesOf(name)),
    get: (name) =>
      Promise.resolve({
        data: new Blob([Uint8Array.from(bytesOf(name))]).stream(),
        error: Promise.resolve(null),
      }),
  };
}

async function shareBy(result: ClientResult, change: Partial<StoredPart> & { pidHere?: number | null } = {}) {
  const { pidHere = null, ...part } = change;
  const bytes = new TextEncoder().encode(JSON.stringify(result));
  const merged = await collectParts(
    {
      plan,
      store: doubleOfStore(new Map([['r', bytes]])),
      fetch: async (work) => await work,
      parts: [
        {
          link: { name: 'a1', machine, pidHere },
          plan,
          heardUs: { window: 6_001_500, drain: 8_001_000 },
          stored: { type: 'stored', result: 'r', log: null, host },
          ...part,
        },
      ],
    },
    {
      before: [{ offsetUs: 1_000, roundTripUs: 400 }],
      after: [{ offsetUs: 1_200, roundTripUs: 600 }],
      windowUs: 5_999_500,
    },
  );
  return present(merged.agents?.[0]);
}

test('the share of an agent is in the time of the runner, with the error of its clock', async () => {
  expect(await shareBy(resultBy({}))).toEqual({
    name: 'a1',
    sessionFirst: 10,
    sessionCount: 40,
    applied: 1000,
    cores: 8,
    cpuUserUs: 1_200_000,
    cpuSystemUs: 400_000,
    // 1.6 s of two threads in 2 s.
    utilization: 0.4,
    windowSkewMs: 0.5,
    // Half of the longest round trip, and half of the drift.
    clockErrorMs: 0.4,
    roundTripMs: 0.6,
    // 2 ms after its beginning, 1.5 after its end.
    heardAfterMs: 1.5,
    windowMs: 2000,
    windowMsHeard: 1999.5,
    host,
  });
});

test('an event loop says how busy it was, at most 1; a process of this machine needs no host of its own', async () => {
  expect(await shareBy(resultBy({ loopUtilization: 0.7 }))).toMatchObject({ utilization: 0.7 });
  expect(await shareBy(resultBy({ cpuUserUs: 9_000_000 }))).toMatchObject({ utilization: 1 });
  const here = await shareBy(resultBy({}), { pidHere: 17 });
  expect([here.pid, here.host]).toEqual([17, undefined]);
  await expect(shareBy(resultBy({}), { stored: null })).rejects.toThrow('a1: it stored no result');
});

test('logs of two agents become one, in the time of the trial and wider by the error of the clocks', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parts-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const objects = new Map<string, Uint8Array>();
  /** One operation of a session, sent 10 µs and settled 20 µs after the agent's first. */
  const partOf = async (session: number, startUs: number): Promise<StoredPart> => {
    const words = Uint32Array.of(session, 2, 1, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 10, 20);
    const log = await writeOutcomeLog(join(folder, `own${session}`), [[new Uint8Array(words.buffer)]]);
    const result = resultBy({});
    const stated = { ...result, timing: { ...result.timing, startUs }, log };
    objects.set(`r${session}`, new TextEncoder().encode(JSON.stringify(stated)));
    objects.set(`l${session}`, await readFile(log.path));
    return {
      link: { name: `a${session}`, machine, pidHere: null },
      plan,
      heardUs: { window: 6_001_500, drain: 8_001_000 },
      stored: { type: 'stored', result: `r${session}`, log: `l${session}`, host: null },
    };
  };
  const clock = [1_000, 1_200].map((offsetUs) => ({ offsetUs, roundTripUs: 600 }));
  const { log } = await collectParts(
    {
      plan: { ...plan, logPath: join(folder, 'whole') },
      store: doubleOfStore(objects),
      fetch: async (work) => await work,
      parts: [await partOf(0, 5_001_100), await partOf(1, 5_002_100)],
    },
    {
      before: clock.slice(0, 1).concat(clock.slice(0, 1)),
      after: clock.slice(1).concat(clock.slice(1)),
      windowUs: 5_999_500,
    },
  );
  const sessions = await readOutcomeLog(present(log ?? undefined));
  expect(sessions.map(({ times }) => [...times])).toEqual([
    [10, 820],
    [1010, 1820],
  ]);
});

/** A double of a load client whose session has at most `most` requests on the wire; the k-th has 10 + k bytes. */
const doubleHolding =
  (most: number, onRun: () => void): LoadClientSource =>
  () => ({
    async run({ endpoint, depth }, onEvent, signal) {
      onRun();
      const { hostname, port } = new URL(endpoint.url);
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      await once(socket, 'connect');
      onEvent({ type: 'ready', sessions: 1 });
      for (let k = 0; k < Math.min(most, depth); k += 1) socket.write(Buffer.alloc(10 + k));
      await once(signal, 'abort');
      socket.destroy();
      throw new Error('stopped');
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });

test.concurrent.for([
  ['all of its depth', 8, 8, 8],
  ['one less than its depth', 8, 7, 7],
  ['three of eight', 8, 3, 3],
  ['one of eight', 8, 1, 1],
] as const)('a session with %s on the wire', async ([, depth, most, seen]) => {
  const server = createServer((socket) => socket.on('error', () => undefined).resume()).listen(
    0,
    '127.0.0.1',
  );
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  let carried = 0;
  const loadClient = doubleHolding(most, () => {
    carried += 1;
  });
  const probe = (of: number) => ({
    loadClient,
    plan: { ...plan, endpoint: { url, options: {} }, depth: of },
    signal: new AbortController().signal,
  });
  const depths = new WireDepths();
  expect(await depths.of('t', probe(1))).toBe(1);
  expect(carried).toBe(0);
  expect(await depths.of('t', probe(depth))).toBe(seen);
  const before = carried;
  expect([await depths.of('t', probe(depth)), carried]).toEqual([seen, before]);
  const nowhere = { ...probe(depth), plan: { ...plan, endpoint: { url: 'here:', options: {} }, depth } };
  expect(await depths.of('u', nowhere)).toBeNull();
});
