import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Route, TargetOptions } from '@fair-bench/contract';
import type { FaultTrial, InjectedFaultKind } from '@fair-bench/results';
import { loadClientArguments } from '@fair-bench/load-client';
import { faultsByKind, loadConnector, runFaultTrial } from '@fair-bench/runner';
import { createSupervisor, loneTargetOptions } from '@fair-bench/supervisor';
import { smallParameters, targetWorkload } from '@fair-bench/workload';
import { nodeClient } from '../../src/short-trial.ts';
import { root, workloadNamed } from '../../src/workloads.ts';
import { endpointOfLiar } from '../liars/lying-client.ts';
import { connectorNamed } from './liar-bench.ts';

/** So many rows that operations in doubt rarely meet on one. */
const rows = 20_000;

interface Setting {
  readonly kind: InjectedFaultKind;
  readonly lengthMs?: number;
  readonly durability?: TargetOptions['durability'];
  /** The file name of a client module of `fault-liars`. */
  readonly liar?: string;
  readonly ratePerSecond?: number;
}

/** One trial with a fault, as a run has it, on a real system; a string says why the fault cannot be injected here. */
export async function faultTrial(system: string, setting: Setting): Promise<FaultTrial | string> {
  const { kind, lengthMs = 0, durability = 'durable', liar, ratePerSecond = 300 } = setting;
  const workload = await workloadNamed('transfer');
  const { description } = workload;
  const { found, clientModulePath } = await connectorNamed(system);
  const directory = await mkdtemp(join(tmpdir(), 'fair-bench-faults-'));
  const supervisor = createSupervisor({ logDirectory: directory });
  const arrangement = {
    root,
    directory: async (name: string) => await supervisor.directory(name),
    signal: AbortSignal.timeout(20 * 60_000),
    onProgress: () => undefined,
  };
  try {
    const { lackOf, lackHere } = faultsByKind[kind];
    const own = await lackOf({ found, url: null, nodes: [], aim: async () => await Promise.resolve() });
    const lack = own ?? (await lackHere?.(arrangement)) ?? null;
    if (lack !== null) return `${lack.reason}; ${lack.remedy}`;
    const lying =
      liar === undefined ? null : fileURLToPath(new URL(`../fault-liars/${liar}.ts`, import.meta.url));
    const route = await loadConnector(found);
    return await runFaultTrial({
      ...arrangement,
      run: { id: 'faults', inDoubtShareMax: 1, faultsShareMax: 1 },
      cell: {
        id: `${system}-${kind}`,
        target: system,
        client: 'node',
        workload: workload.name,
        parameters: smallParameters(description, { rows }),
        axes: [],
        sessions: 16,
        depth: 1,
        batch: 1,
        threads: 1,
      },
      connector: system,
      route: lying === null ? route : behind(route, pathToFileURL(clientModulePath).href),
      options: { ...loneTargetOptions, durability, workload: targetWorkload(workload) },
      workload: description,
      client: {
        command: { command: process.execPath, arguments: loadClientArguments },
        client: nodeClient(lying ?? clientModulePath),
      },
      fault: { kind, lengthMs, atMs: 1_500 },
      trial: 0,
      ratePerSecond,
      dataRoot: null,
      cores: null,
      logDirectory: join(directory, 'logs'),
      logPath: join(directory, 'log'),
    });
  } finally {
    await supervisor.stopAll();
    await rm(directory, { recursive: true, force: true });
  }
}

/** A route whose sessions a liar opens. */
function behind(route: Route, innerModule: string): Route {
  return {
    ...route,
    async provision(context) {
      const deployment = await route.provision(context);
      return { ...deployment, endpoint: endpointOfLiar(deployment.endpoint, innerModule, 'told', null) };
    },
  };
}
