import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { groupGone, sendSignal, startTimeOf } from './process-table.ts';
import { type ReaperCommand, reaperCommandSchema, reaperGraceMs } from './reaper-protocol.ts';
import { resume } from './suspend.ts';

type Watched = Extract<ReaperCommand, { type: 'watch' }>;

await main();

async function main(): Promise<void> {
  // Only the end of its input ends the reaper: signals of a terminal or a service manager are meant for the runner.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
  const watched = new Map<number, Watched>();
  const directories = new Set<string>();
  for await (const line of createInterface({ input: process.stdin })) {
    obey(reaperCommandSchema.parse(JSON.parse(line)), watched, directories);
  }
  await Promise.all([...watched.values()].map(end));
  for (const directory of directories) {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

function obey(command: ReaperCommand, watched: Map<number, Watched>, directories: Set<string>): void {
  switch (command.type) {
    case 'watch':
      watched.set(command.pid, command);
      return;
    case 'unwatch':
      watched.delete(command.pid);
      return;
    case 'keep-clean':
      directories.add(command.directory);
      return;
    case 'forget':
      directories.delete(command.directory);
      return;
  }
}

async function end(process: Watched): Promise<void> {
  // Another start time: the pid was reused.
  if (startTimeOf(process.pid) !== process.startTime) return;
  // It may have been suspended during a measurement; the descendants of a stopped process would outlive it.
  resume(process.pid);
  sendSignal(process.pid, process.stopSignal);
  const deadline = Date.now() + reaperGraceMs;
  while (startTimeOf(process.pid) === process.startTime && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  sendSignal(-process.pid, 'SIGKILL');
  await groupGone(process.pid, 1_000);
}
