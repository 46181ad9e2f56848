import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunSupervisor, createSupervisor } from '../src/supervisor.ts';
import { startTimeOf } from '../src/process-table.ts';
import { nameOf, readProcesses } from '../src/process-usage.ts';
import { isGone, scriptSpecification } from './support/processes.ts';

const idle = 'setInterval(() => {}, 1000); console.log("ready");';
let logDirectory: string;
let supervisor: RunSupervisor;

beforeEach(async () => {
  logDirectory = await mkdtemp(join(tmpdir(), 'fair-bench-test-'));
  supervisor = createSupervisor({ logDirectory });
});

afterEach(async () => {
  await supervisor.stopAll();
  await rm(logDirectory, { recursive: true });
});

test('resolves when the process is ready, with its output, and logs both streams', async () => {
  const child = await supervisor.start(scriptSpecification('both', `console.error("to the log"); ${idle}`));
  expect(child.output()).toBe('ready\n');
  expect(child.running()).toBe(true);
  await child.stop();
  expect(child.running()).toBe(false);
  expect(await child.ended).toBe('signal SIGTERM');
  const log = await readFile(join(logDirectory, 'both.log'), 'utf8');
  expect(log).toContain('to the log\n');
  expect(log).toContain('ready\n');
});

test('serves on where its log cannot be written, as on a full disk', async () => {
  await symlink('/dev/full', join(logDirectory, 'talker.log'));
  const script = `console.log('ready'); for (const _ of Array(100)) console.log('x'.repeat(10_000)); ${idle}`;
  const child = await supervisor.start(
    scriptSpecification('talker', script, {
      ready: { timeoutMs: 10_000, check: (output) => output.length >= 64 * 1_024 },
    }),
  );
  expect(child.running()).toBe(true);
});

test('gives the process its environment and working directory', async () => {
  const script = 'console.log(process.env.GIVEN, process.cwd()); setInterval(() => {}, 1000);';
  const child = await supervisor.start(
    scriptSpecification('given', script, { environment: { GIVEN: 'yes' }, workingDirectory: '/' }),
  );
  expect(child.output()).toBe('yes /\n');
});

test('rejects at once when the process exits before it is ready', async () => {
  const started = supervisor.start(
    scriptSpecification('failing', 'console.error("no such table"); process.exit(3);', {
      ready: { timeoutMs: 60_000, check: () => false },
    }),
  );
  await expect(started).rejects.toThrow(
    /^failing: ended before it was ready \(exit code 3\); see .*failing\.log\n.*no such table/s,
  );
});

test('rejects when the process is not ready in time, and ends it', async () => {
  let pid = 0;
  const started = supervisor.start(
    scriptSpecification('slow', 'console.log(process.pid); setInterval(() => {}, 1000);', {
      ready: {
        timeoutMs: 1_000,
        check: (output) => {
          pid = Number(output);
          return false;
        },
      },
    }),
  );
  await expect(started).rejects.toThrow('slow: not ready in 1000 ms');
  expect(pid).toBeGreaterThan(0);
  expect(startTimeOf(pid)).toBe(null);
});

test('rejects when a check never settles', async () => {
  const started = supervisor.start(
    scriptSpecification('hanging', idle, {
      ready: { timeoutMs: 500, check: async () => await new Promise<boolean>(() => undefined) },
    }),
  );
  await expect(started).rejects.toThrow('hanging: not ready in 500 ms');
});

test('names a missing command', async () => {
  const started = supervisor.start(scriptSpecification('missing', '', { command: '/no/such/command' }));
  await expect(started).rejects.toThrow(/^missing: \/no\/such\/command cannot be started: .*ENOENT/);
});

test('kills a process that ignores its stop signal', async () => {
  const child = await supervisor.start(
    scriptSpecification('stubborn', `process.on("SIGTERM", () => {}); ${idle}`, { stopTimeoutMs: 300 }),
  );
  await child.stop();
  expect(await child.ended).toBe('signal SIGKILL');
  expect(startTimeOf(child.pid)).toBe(null);
});

test.each([
  ['in good order', 'process.on("SIGTERM", () => process.exit(0));'],
  ['by force', 'process.on("SIGTERM", () => {});'],
])('takes grandchildren with a process that ends %s', async (_, handler) => {
  const script = `
    ${handler}
    const child = require("node:child_process").spawn(process.execPath, ["-e", 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")']);
    child.stdout.once("data", () => console.log(child.pid));
    setInterval(() => {}, 1000);`;
  const parent = await supervisor.start(scriptSpecification('parent', script, { stopTimeoutMs: 300 }));
  const grandchild = Number(parent.output());
  expect(startTimeOf(grandchild)).not.toBe(null);
  await parent.stop();
  expect(startTimeOf(grandchild)).toBe(null);
});

test('takes grandchildren with a process that crashes', async () => {
  const script = `
    const child = require("node:child_process").spawn(process.execPath, ["-e", 'setInterval(() => {}, 1000); console.log("up")']);
    child.stdout.once("data", () => console.log(child.pid));
    setInterval(() => {}, 1000);`;
  const parent = await supervisor.start(scriptSpecification('parent', script));
  const grandchild = Number(parent.output());
  process.kill(parent.pid, 'SIGKILL');
  expect(await parent.ended).toBe('signal SIGKILL');
  expect(await isGone(grandchild, 5_000)).toBe(true);
  await parent.stop();
});

test('stops everything, the last started first, and removes the directories', async () => {
  const order: string[] = [];
  for (const name of ['first', 'second']) {
    const child = await supervisor.start(scriptSpecification(name, idle));
    void child.ended.then(() => order.push(name));
  }
  const directory = await supervisor.directory('data');
  await supervisor.stopAll();
  expect(order).toEqual(['second', 'first']);
  expect(existsSync(directory)).toBe(false);
});

test('an aborted run waits for nothing and starts nothing', async () => {
  const run = new AbortController();
  const aborted = createSupervisor({ logDirectory, signal: run.signal });
  const started = aborted.start(
    scriptSpecification('waiting', idle, { ready: { timeoutMs: 60_000, check: () => false } }),
  );
  setTimeout(() => run.abort(new Error('interrupted')), 200);
  await expect(started).rejects.toThrow('waiting: was stopped before it was ready');
  await expect(aborted.start(scriptSpecification('late', idle))).rejects.toThrow('interrupted');
  await aborted.stopAll();
});

test('hands out ports that are free and differ', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, async () => await supervisor.freePort()));
  expect(new Set(ports).size).toBe(20);
});

test.skipIf(process.platform !== 'linux')(
  'an interpreter is named with its script, and with no other argument',
  { meta: { whySkipped: 'reads /proc, which only Linux has' } },
  async () => {
    const script = join(logDirectory, 'server.mjs');
    await writeFile(script, idle);
    const specification = scriptSpecification('named', idle);
    const child = await supervisor.start({ ...specification, arguments: [script, '--password', 'secret'] });
    const [stat] = readProcesses([child.pid]) ?? [];
    expect(stat === undefined ? null : nameOf(stat)).toBe('node server.mjs');
    const [own] = readProcesses([process.pid]) ?? [];
    expect(nameOf({ pid: -1, command: own?.command ?? '' })).toBe(own?.command);
  },
);
