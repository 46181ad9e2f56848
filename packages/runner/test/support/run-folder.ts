import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SummaryInput, trialFile } from '@fair-bench/results';
import { summarize } from '@fair-bench/analysis';
import { writeReports } from '../../src/run/write-reports.ts';

/** Writes a run's artifacts into a new folder, as the pipeline does, and returns the folder. */
export async function writeRun(parent: string, name: string, input: SummaryInput): Promise<string> {
  const directory = join(parent, name);
  await mkdir(join(directory, 'trials'), { recursive: true });
  const write = async (file: string, value: unknown): Promise<void> =>
    await writeFile(join(directory, file), JSON.stringify(value, null, 2));
  const { startedAt, endedAt, interrupted } = input;
  await write('plan.json', input.plan);
  await write('environment.json', input.environment);
  await write('targets.json', input.targets);
  await write('durability.json', input.durability);
  await write('run.json', { startedAt, endedAt, interrupted });
  if (input.noiseFloor !== undefined) await write('noise-floor.json', input.noiseFloor);
  await Promise.all(input.trials.map((trial) => write(trialFile(trial), trial)));
  await writeReports(directory, summarize(input), input.trials);
  return directory;
}

export async function scratchFolder(): Promise<string> {
  return await mkdtemp(join(tmpdir(), 'fair-bench-report-'));
}

export async function removeFolder(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
}
