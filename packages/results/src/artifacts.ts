import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, messageOf } from '@fair-bench/contract';

/**
 * The files of `results/<run>/`. A file that cannot be written (a full disk) does not end the run: `failures` records
 * it, and the measurements still reach the terminal.
 */
export class Artifacts {
  readonly directory: string;
  readonly failures: string[] = [];

  constructor(directory: string) {
    this.directory = directory;
  }

  get logDirectory(): string {
    return join(this.directory, 'logs');
  }

  /** Where a trial's outcome log is until its audit passes. */
  outcomeLogPath(trial: string): string {
    return join(this.directory, 'trials', `${trial}.log`);
  }

  /** Where a trial's record is, relative to the run's folder. */
  trialFile(trial: string): string {
    return join('trials', `${trial}.json`);
  }

  /** A file of this run. */
  path(file: string): string {
    return join(this.directory, file);
  }

  /** Makes the folders that every run has, or one more. */
  async open(folder = 'trials'): Promise<void> {
    await mkdir(this.logDirectory, { recursive: true });
    await mkdir(this.path(folder), { recursive: true });
  }

  async write(file: string, value: unknown): Promise<void> {
    try {
      await writeFile(join(this.directory, file), `${JSON.stringify(value, null, 2)}\n`);
    } catch (error) {
      const remedy = hasCode(error, 'ENOSPC') ? 'free disk space' : 'leave the folder of a run to it';
      this.failures.push(
        `results: ${file} could not be written: ${messageOf(error)}; ${remedy} and run again`,
      );
    }
  }
}
