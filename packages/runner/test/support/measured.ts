import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { mayBeTheMachines } from '@fair-bench/analysis';
import { readArtifacts } from '@fair-bench/results';
import type { RunningCommand } from './command.ts';

const againMax = 3;

/** A run that has ended. */
export interface EndedRun {
  readonly out: string;
  readonly code: number | null;
  readonly output: string;
}

/**
 * A run whose trials must all pass, on a machine that also runs other tests: measured again, at most three times, where the machine
 * alone can have voided each of its void trials, by the rules of a run.
 * @param parent where each run gets a folder of its own.
 */
export async function measured(
  parent: string,
  start: (out: string) => RunningCommand | Promise<RunningCommand>,
): Promise<EndedRun> {
  for (let again = 0; ; again += 1) {
    const out = await mkdtemp(join(parent, 'run-'));
    const command = await start(out);
    const code = await command.ended;
    if (again < againMax && (await isVoidByMachine(out))) continue;
    return { out, code, output: command.output() };
  }
}

async function isVoidByMachine(out: string): Promise<boolean> {
  // A run that was refused leaves none: its test says why.
  const { trials } = await readArtifacts(out).catch(() => ({ trials: [] }));
  const voids = trials.filter(({ status }) => status === 'void');
  return voids.length > 0 && voids.every(mayBeTheMachines);
}
