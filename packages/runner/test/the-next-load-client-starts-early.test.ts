import { expect, test } from 'vitest';
import { LoadProcesses } from '../src/index.ts';
import { eventually, processesMentioning } from './support/processes.ts';

const mark = `early-${process.pid}-`;
const driver = commandOf('driver');
const drizzle = commandOf('drizzle');

function commandOf(name: string) {
  return { command: process.execPath, arguments: ['-e', 'process.stdin.resume()', `${mark}${name}`] };
}

/** Whether just these clients are left. */
async function areLeft(...pids: readonly (number | undefined)[]): Promise<boolean> {
  const expected = new Set(pids);
  return await eventually(async () => {
    const found = new Set(await processesMentioning(mark));
    return found.symmetricDifference(expected).size === 0;
  }, 2_000);
}

test('an early start that fails is the error of its own trial', async () => {
  await using processes = new LoadProcesses();
  // No program has such a name: it cannot even be tried.
  const impossible = { command: 'no\0name', arguments: [] };
  processes.startNext(impossible);
  expect(() => processes.source(impossible)()).toThrow(/null bytes/);
});

test('a trial gets the load client that was started for it, once and while it lives', async () => {
  const processes = new LoadProcesses();
  processes.startNext(driver);
  await using first = processes.source(driver)();
  expect(await areLeft(first.pid)).toBe(true);
  await using second = processes.source(driver)();
  expect(await areLeft(first.pid, second.pid)).toBe(true);
  // For another client than was expected.
  processes.startNext(driver);
  await using third = processes.source(drizzle)();
  expect(await areLeft(first.pid, second.pid, third.pid)).toBe(true);
  // One that has ended.
  processes.startNext({ command: process.execPath, arguments: ['-e', '0', mark] });
  expect(await areLeft(first.pid, second.pid, third.pid)).toBe(true);
  await using fourth = processes.source({ command: process.execPath, arguments: ['-e', '0', mark] })();
  expect(fourth.pid).toBeDefined();
  processes.startNext(drizzle);
  await processes[Symbol.asyncDispose]();
  expect(await areLeft(first.pid, second.pid, third.pid)).toBe(true);
});
