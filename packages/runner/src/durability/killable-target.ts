import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Deployment,
  messageOf,
  type ProcessSpecification,
  type Route,
  type SupervisedProcess,
  type Supervisor,
  type TargetOptions,
} from '@fair-bench/contract';
import { createSupervisor, Deployments } from '@fair-bench/supervisor';
import { killTrees } from './kill-trees.ts';

const startTimeoutMs = 60_000;
/** Of each log, in an error. */
const logLines = 8;

/** A target whose servers can be killed and restarted on the same data and address. */
export interface KillableTarget {
  readonly deployment: Deployment;
  /** Sends SIGKILL to all of its processes at once; resolves when they are gone. */
  kill(): Promise<void>;
  /** Restarts what was killed, with the same programs and arguments; resolves when it answers. */
  restart(): Promise<void>;
}

interface KillableSetting {
  readonly route: Route;
  readonly options: TargetOptions;
  /** The data directory; on a disk by default. */
  readonly dataRoot?: string | undefined;
}

/**
 * Starts a target as a run does, passes it to `use`, and afterwards removes it with its data. It finds the processes
 * in /proc, so it needs Linux.
 */
export async function withKillableTarget<Result>(
  { route, options, dataRoot }: KillableSetting,
  use: (target: KillableTarget) => Promise<Result>,
): Promise<Result> {
  const logDirectory = await mkdtemp(join(tmpdir(), 'fair-bench-kill-'));
  const supervisor = createSupervisor({ logDirectory, ...(dataRoot === undefined ? {} : { dataRoot }) });
  const started: { readonly specification: ProcessSpecification; readonly child: SupervisedProcess }[] = [];
  const noting: Supervisor = {
    ...supervisor,
    async start(specification) {
      const child = await supervisor.start(specification);
      started.push({ specification, child });
      return child;
    },
  };
  const deployments = new Deployments({ supervisor: noting, signal: AbortSignal.timeout(startTimeoutMs) });
  const again: SupervisedProcess[] = [];
  try {
    const deployment = await deployments.ensure(route.name, route, options);
    return await use({
      deployment,
      kill: async () => await killTrees(started.flatMap(({ child }) => (child.running() ? [child.pid] : []))),
      async restart() {
        for (const { specification } of started.slice()) {
          again.push(await startAgain(supervisor, specification));
        }
      },
    });
  } catch (cause) {
    // The logs that it names are removed.
    throw new Error(`${route.name}: ${messageOf(cause)}${await lastLinesIn(logDirectory)}`, { cause });
  } finally {
    // The cluster can be cleaned up only when nothing runs in it.
    for (const child of again.toReversed()) await child.stop();
    await deployments.closeAll();
    await supervisor.stopAll();
    await rm(logDirectory, { recursive: true, force: true });
  }
}

async function startAgain(
  supervisor: Supervisor,
  specification: ProcessSpecification,
): Promise<SupervisedProcess> {
  const name = `${specification.name}-again`;
  try {
    return await supervisor.start({ ...specification, name });
  } catch (cause) {
    throw new Error(
      `it did not start again after the kill: ${messageOf(cause)}; its command is run again as it was, and must find its data ` +
        'and take the same address: launch prepares the directory once and passes directory and port as arguments',
      { cause },
    );
  }
}

async function lastLinesIn(directory: string): Promise<string> {
  const texts: string[] = [];
  for (const file of (await readdir(directory)).sort()) {
    const lines = (await readFile(join(directory, file), 'utf8')).trim().split('\n').slice(-logLines);
    if (lines.join('') !== '') texts.push(`\nlast lines of ${file}:\n  ${lines.join('\n  ')}`);
  }
  return texts.join('');
}
