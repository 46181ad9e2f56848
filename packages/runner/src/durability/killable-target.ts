import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Deployment,
  ProcessSpecification,
  Route,
  SupervisedProcess,
  Supervisor,
  TargetOptions,
} from '@fair-bench/contract';
import {
  createSupervisor,
  Deployments,
  descendantsOf,
  sendSignal,
  startTimeOf,
} from '@fair-bench/supervisor';

const startTimeoutMs = 60_000;
const endTimeoutMs = 20_000;

/** A target whose servers can be killed and started again on the same data, at the same address. */
export interface KillableTarget {
  readonly deployment: Deployment;
  /** Sends SIGKILL to all of its processes at once, and resolves when they are gone. */
  kill(): Promise<void>;
  /** Starts what was killed again, by the programs and arguments that it was started by; resolves when it answers. */
  restart(): Promise<void>;
}

export interface KillableSetting {
  readonly route: Route;
  readonly options: TargetOptions;
  /** Where its data go; a directory on a disk unless given. */
  readonly dataRoot?: string | undefined;
}

/**
 * Gives `use` a target of its own, started as a run starts it, and removes it and its data afterwards. It finds the
 * processes in /proc, which only Linux has.
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
      kill: async () => await killAll(started.flatMap(({ child }) => (child.running() ? [child.pid] : []))),
      async restart() {
        for (const { specification } of started.slice()) {
          again.push(await supervisor.start({ ...specification, name: `${specification.name}-again` }));
        }
      },
    });
  } finally {
    // Before the cluster is cleaned up, nothing may run in it.
    for (const child of again.toReversed()) await child.stop();
    await deployments.closeAll();
    await supervisor.stopAll();
    await rm(logDirectory, { recursive: true, force: true });
  }
}

/**
 * The roots are stopped first, so that they neither start nor stop others. No await between the
 * signals: what a process has not written when the first of them falls is not to be written.
 */
async function killAll(roots: readonly number[]): Promise<void> {
  for (const pid of roots) process.kill(pid, 'SIGSTOP');
  const pids = [...roots.flatMap(descendantsOf), ...roots];
  // A child may have ended by itself since it was listed.
  for (const pid of pids) sendSignal(pid, 'SIGKILL');
  const deadline = Date.now() + endTimeoutMs;
  while (pids.some((pid) => startTimeOf(pid) !== null)) {
    if (Date.now() > deadline) throw new Error(`of ${pids.join(', ')} some outlive SIGKILL`);
    await sleep(10);
  }
}
