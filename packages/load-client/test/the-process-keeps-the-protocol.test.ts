import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadClientArguments } from '../src/index.ts';
import {
  type ObservedClient,
  eventsOfTrial,
  namesOf,
  refusalOf,
  refusedFor,
  resultOf,
  startClient,
} from '../src/test-support/observed-client.ts';
import { planOnDoubles } from './trial-on-doubles.ts';

let folder = '';
const children: ChildProcessWithoutNullStreams[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'load-client-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

function start(...args: string[]): ObservedClient {
  const client = startClient(process.execPath, [...loadClientArguments, ...args]);
  children.push(client.child);
  return client;
}

test('plan in, events out, the result last; the log is the file whose hash it names', async () => {
  const logPath = join(folder, 'log');
  const client = start();
  client.lead(
    planOnDoubles({
      options: { behaviour: 'answers', delayMs: 3 },
      timing: { windowMs: 1500 },
      logPath,
    }),
  );

  expect(await client.ended).toBe(0);
  expect(namesOf(client)).toEqual(eventsOfTrial);
  const result = resultOf(client);
  const bytes = await readFile(logPath);
  expect(result.log).toMatchObject({
    path: logPath,
    bytes: bytes.byteLength,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
  expect(result.client.pid).toBe(client.child.pid);
  expect(result.ending).toBe('complete');
});

test('--preload does not change a plan, even if its module cannot be imported', async () => {
  const client = start('--preload', 'file:///nowhere/client.ts');
  client.lead(planOnDoubles({ options: { behaviour: 'answers' }, timing: { windowMs: 100 } }));
  expect(await client.ended).toBe(0);
  expect(client.events.at(-1)?.type).toBe('result');
});

test('stop ends the window, drains and reports a shorter window', async () => {
  const client = start();
  client.lead(planOnDoubles({ options: { behaviour: 'answers', delayMs: 3 }, timing: { windowMs: 60_000 } }));
  await client.event((event) => event.type === 'progress' && event.phase === 'window');
  client.send({ type: 'stop' });

  expect(await client.ended).toBe(0);
  const result = resultOf(client);
  expect(result.ending).toBe('stopped');
  expect(result.timing.windowMs).toBeGreaterThan(900);
  expect(result.timing.windowMs).toBeLessThan(20_000);
  expect(result.window.applied).toBeGreaterThan(0);
});

test('stop in the warm-up reports an empty window', async () => {
  const client = start();
  const timing = { warmupMs: 60_000, warmupMsMax: 60_000 };
  client.lead(planOnDoubles({ options: { behaviour: 'answers', delayMs: 3 }, timing }));
  await client.event((event) => event.type === 'phase');
  client.send({ type: 'stop' });

  expect(await client.ended).toBe(0);
  const result = resultOf(client);
  expect(result).toMatchObject({ ending: 'stopped', timing: { windowMs: 0 }, window: { applied: 0 } });
});

test('the end of standard input ends the process at once, without a result', async () => {
  const client = start();
  const plan = planOnDoubles({ options: { behaviour: 'answers', delayMs: 3 }, timing: { windowMs: 60_000 } });
  client.lead(plan);
  await client.event((event) => event.type === 'phase');
  client.child.stdin.end();

  expect(await client.ended).toBe(1);
  expect(client.events.map((event) => event.type)).not.toContain('result');
});

test('a target that is dead: a failed event with endpoint and fault, exit code 1', async () => {
  const client = start();
  const plan = planOnDoubles({
    options: { behaviour: 'loses-connection' },
    timing: { windowMs: 60_000, operationMs: 200 },
  });
  client.lead(plan);

  expect(await client.ended).toBe(1);
  expect(client.events.at(-1)).toMatchObject({
    type: 'failed',
    reason: expect.stringMatching(/double:\/\/nowhere is gone.*cut by the double/),
  });
});

const loadClientModule = fileURLToPath(new URL('./doubles/numbered-workload.ts', import.meta.url));
const good = planOnDoubles({ options: { behaviour: 'answers' } });
test.each([
  ['no JSON', '{"type":', 'standard input: no JSON'],
  ['not the plan first', JSON.stringify({ type: 'stop' }), 'the first command has to be the plan'],
  ['no sessions', JSON.stringify({ type: 'plan', plan: { ...good, sessions: 0 } }), 'plan.sessions: '],
  ['an unknown field', JSON.stringify({ type: 'plan', plan: { ...good, extra: 1 } }), 'extra'],
  [
    'too many threads',
    JSON.stringify({ type: 'plan', plan: { ...good, threads: 5 } }),
    'plan.threads: 5 threads for 4',
  ],
  [
    'the other twin',
    JSON.stringify({ type: 'plan', plan: { ...good, client: { kind: 'native', protocol: 'x' } } }),
    'this is the Node load client',
  ],
  [
    'a missing module',
    JSON.stringify({ type: 'plan', plan: { ...good, client: { kind: 'node', module: '/no/such.ts' } } }),
    'plan.client.module: /no/such.ts cannot be imported',
  ],
  [
    'a module that is not a client',
    JSON.stringify({
      type: 'plan',
      plan: { ...good, client: { kind: 'node', module: loadClientModule } },
    }),
    'is not a client module',
  ],
  [
    'a workload without a seed',
    JSON.stringify({ type: 'plan', plan: { ...good, workload: { ...good.workload, seed: 1 } } }),
    'plan.workload: seed',
  ],
  [
    'a workload that names a table that it does not have',
    JSON.stringify({ type: 'plan', plan: good }).replaceAll('"table":0', '"table":1'),
    'plan.workload: operations/write: there is no table 1',
  ],
  [
    'a missing log folder',
    JSON.stringify({ type: 'plan', plan: { ...good, logPath: '/no/such/folder/log' } }),
    'plan.logPath: /no/such/folder cannot be written to',
  ],
])('a bad plan (%s): exit code 2, one line for people, one failed event', async (_name, line, reason) => {
  expect(await refusalOf(start(), line)).toEqual(refusedFor(reason));
});
