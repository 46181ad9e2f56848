import { type Facts, logDirectoryOf, type Route, type TargetOptions } from '@fair-bench/contract';
import { type Kill, type KillTest, killTestSchema } from '@fair-bench/results';
import { smallParameters } from '@fair-bench/workload';
import { importClient } from '@fair-bench/load-client';
import type { LoadedWorkload } from '../discover/workload.ts';
import { StorageProbes } from '../probes/storage.ts';
import { seed } from '../seed/seed.ts';
import { type KillableTarget, withKillableTarget } from './killable-target.ts';
import { describeKill, killDepth, killSessions, killUnderLoad } from './kill-under-load.ts';
import { probeCommits } from './probe-commits.ts';

const loadMs = 700;
const probeRows = 1_000;
const stepTimeoutMs = 30_000;

interface KillTestOf {
  readonly route: Route;
  readonly connector: string;
  readonly options: TargetOptions;
  readonly workload: LoadedWorkload;
  /** The module of the sessions: `sessionsPathOf`. */
  readonly clientModulePath: string;
  /** Operations of a request. */
  readonly batch: number;
  readonly kills: number;
  readonly dataRoot: string | undefined;
  /** Checked before each kill. */
  readonly signal?: AbortSignal;
  readonly onKill: (line: string) => void;
}

/**
 * Starts a target, kills it under load by SIGKILL, restarts it on its data and audits what it acknowledged, `kills`
 * times. Rejects if it cannot be killed.
 */
export async function killTarget(test: KillTestOf): Promise<KillTest> {
  const { route, workload, clientModulePath, dataRoot } = test;
  const options = {
    ...test.options,
    sessionsMax: Math.max(test.options.sessionsMax, killSessions),
    depthMax: Math.max(test.options.depthMax, killDepth),
    batchMax: Math.max(test.options.batchMax, test.batch),
  };
  const availability = await route.probe(options);
  if (!availability.available) throw new Error(`${availability.reason}; ${availability.remedy}`);
  const kills: Kill[] = [];
  const observed: Observed[] = [];
  for (let kill = 0; kill < test.kills; kill += 1) {
    test.signal?.throwIfAborted();
    const report = await withKillableTarget({ route, options, dataRoot }, async (target) => {
      if (kill === 0) observed.push(await observe(target, workload, clientModulePath));
      return await killUnderLoad(target, { workload, clientModulePath, loadMs, batch: test.batch });
    });
    test.onKill(`kill ${kill + 1} of ${test.kills}: ${describeKill(report)}`);
    const { differences: _differences, ...found } = report;
    kills.push(found);
  }
  return killTestSchema.parse({
    connector: test.connector,
    level: options.durability,
    batch: test.batch,
    workload: workload.name,
    measuredAt: new Date().toISOString(),
    kills,
    ...observed[0],
  });
}

type Observed = Pick<KillTest, 'system' | 'version' | 'fileSystem' | 'commits'>;

/** The version and storage that were killed, and the cost of one commit there. */
async function observe(
  { deployment }: KillableTarget,
  workload: LoadedWorkload,
  clientModulePath: string,
): Promise<Observed> {
  const signal = AbortSignal.timeout(stepTimeoutMs);
  const { description } = workload;
  const cell = { target: 'killed', parameters: smallParameters(description, { rows: probeRows }) };
  const seeded = await seed({ cell, workload: description, deployment, signal });
  await deployment.prepare(signal);
  const facts: Facts = await deployment.facts(signal);
  const storage = await new StorageProbes().of(logDirectoryOf(facts));
  const client = await importClient(clientModulePath);
  const commits = await probeCommits({
    deployment,
    client,
    seeded,
    storage,
    load: { sessions: killSessions, depth: killDepth },
  });
  const { system } = facts;
  return { system: system.name, version: system.version, fileSystem: facts.storage.fileSystem, commits };
}
