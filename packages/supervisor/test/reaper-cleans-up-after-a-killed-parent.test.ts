import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { sendSignal, startTimeOf } from '../src/process-table.ts';
import type { ReaperCommand } from '../src/reaper-protocol.ts';
import { suspend } from '../src/suspend.ts';
import { isGone, isRemoved } from './support/processes.ts';

const reportSchema = z.object({ pid: z.number(), directory: z.string(), output: z.string() });
const reaperMain = fileURLToPath(new URL('../src/reaper-main.ts', import.meta.url));
const parentMain = fileURLToPath(new URL('./support/parent-that-dies.ts', import.meta.url));
let logDirectory: string;

beforeEach(async () => {
  logDirectory = await mkdtemp(join(tmpdir(), 'fair-bench-test-'));
});

afterEach(async () => {
  await rm(logDirectory, { recursive: true });
});

/** Runs a parent that starts `script` under a supervisor, and kills it once the child is up. */
async function killParentOf(
  script: string,
  beforeKill: (pid: number) => void = () => undefined,
): Promise<z.infer<typeof reportSchema>> {
  const parent = spawn(process.execPath, [parentMain, logDirectory, script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(parent, 'exit');
  for await (const line of createInterface({ input: parent.stdout })) {
    const report = reportSchema.parse(JSON.parse(line));
    expect(startTimeOf(report.pid)).not.toBe(null);
    expect(existsSync(report.directory)).toBe(true);
    beforeKill(report.pid);
    parent.kill('SIGKILL');
    await exited;
    return report;
  }
  throw new Error('the parent ended without a report');
}

test('a child and a directory are gone within 5 s', async () => {
  const { pid, directory } = await killParentOf('setInterval(() => {}, 1000); console.log("ready")');
  expect(await isGone(pid, 5_000)).toBe(true);
  expect(await isRemoved(directory, 5_000)).toBe(true);
});

test('a child that ignores its stop signal is killed, and a grandchild with it', async () => {
  const stubborn = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);';
  const { pid, output } = await killParentOf(`${stubborn}
    const child = require("node:child_process").spawn(process.execPath, ["-e", '${stubborn} console.log("up")']);
    child.stdout.once("data", () => console.log(child.pid));`);
  expect(await isGone(pid, 8_000)).toBe(true);
  expect(await isGone(Number(output), 5_000)).toBe(true);
});

test('a child that is suspended is ended, and a grandchild in a session of its own with it', async ({
  skip,
}) => {
  if (process.platform !== 'linux') skip('only on Linux are servers suspended');
  const grandchild = 'process.on("disconnect", () => process.exit()); console.log("up")';
  const script = `
    const { spawn } = require("node:child_process");
    const stdio = ["ignore", "pipe", "inherit", "ipc"];
    const child = spawn(process.execPath, ["-e", '${grandchild}'], { detached: true, stdio });
    child.stdout.once("data", () => console.log(child.pid));`;
  const { pid, output } = await killParentOf(script, (child) => void suspend([child]));
  expect(await isGone(pid, 8_000)).toBe(true);
  expect(await isGone(Number(output), 5_000)).toBe(true);
});

/** Runs a reaper with these commands as its whole input. */
async function runReaper(commands: readonly ReaperCommand[]): Promise<number | null> {
  const reaper = spawn(process.execPath, [reaperMain], { stdio: ['pipe', 'inherit', 'inherit'] });
  const exited = once(reaper, 'exit');
  reaper.stdin.end(commands.map((command) => `${JSON.stringify(command)}\n`).join(''));
  await exited;
  return reaper.exitCode;
}

test('spares a process that was given a watched pid later, and one that is no longer watched', async () => {
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true });
  const { pid } = stranger;
  if (pid === undefined) throw new Error('the stranger did not start');
  try {
    const startTime = startTimeOf(pid);
    if (startTime === null) throw new Error('the stranger has ended');
    const watch = { type: 'watch', pid, stopSignal: 'SIGTERM' } as const;
    expect(await runReaper([{ ...watch, startTime: `${startTime}0` }])).toBe(0);
    expect(startTimeOf(pid)).toBe(startTime);
    expect(
      await runReaper([
        { ...watch, startTime },
        { type: 'unwatch', pid },
      ]),
    ).toBe(0);
    expect(startTimeOf(pid)).toBe(startTime);
    expect(await runReaper([{ ...watch, startTime }])).toBe(0);
    expect(startTimeOf(pid)).toBe(null);
  } finally {
    sendSignal(pid, 'SIGKILL');
  }
});
