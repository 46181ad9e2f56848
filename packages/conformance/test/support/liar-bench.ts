import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import type { ControlPlane, Deployment, JsonObject, Route, TargetOptions } from '@fair-bench/contract';
import { LonePlace, type LoneTarget, loneTargetOptions } from '@fair-bench/supervisor';
import { importClient } from '@fair-bench/load-client';
import {
  contend,
  rehearse,
  type Contended,
  defaultWorkload,
  discover,
  type FoundConnector,
  loadConnector,
  type LoadedWorkload,
  onThisMachine,
  seed,
} from '@fair-bench/runner';
import { smallParameters, type SmallSizes, targetWorkload } from '@fair-bench/workload';
import type { TrialRecord } from '@fair-bench/results';
import { endpointOfLiar, type Lie } from '../liars/lying-client.ts';
import {
  caughtOtherwise,
  type LiarName,
  lyingLoadClient,
  measuredUndisturbed,
} from '../../src/test-support/index.ts';
import { nodeClient, runShortTrial, type ShortTrial, trialRows } from '../../src/short-trial.ts';
import { root, workloadNamed } from '../../src/workloads.ts';

const liars = new URL('../liars/', import.meta.url);

/** A real system behind a liar. */
interface Stage {
  readonly target: LoneTarget;
  readonly route: Route;
  readonly clientModulePath: string;
}

type Setting = Pick<
  ShortTrial,
  'sessions' | 'depth' | 'batch' | 'warmupMs' | 'windowMs' | 'loop' | 'wire' | 'faultsShareMax'
> & {
  /** Rows and amounts of the workload's tables; 1,000 rows by default. */
  readonly sizes?: SmallSizes;
  /** Other parameters than the workload's defaults. */
  readonly parameters?: JsonObject;
  /** Wraps the deployment in a lying control plane. */
  readonly controlPlane?: (deployment: Deployment) => Deployment;
};

/** What lies in a trial: a deployment before the system's own, or the client or load client of a liar. */
interface Told {
  readonly before: (deployment: Deployment) => Deployment;
  /** Null where nobody lies, or only the control plane does. */
  readonly liar: LiarName | null;
}

/** Runs liars, and their honest twins, against real systems by the runner's own trial. */
export class LiarBench {
  /** Targets of one system share its server, as in a run. */
  readonly #place = new LonePlace();
  readonly #stages = new Map<string, Stage>();
  readonly #workload: LoadedWorkload;

  private constructor(workload: LoadedWorkload) {
    this.#workload = workload;
  }

  /** Starts these connectors' targets for the default workload. */
  static async open(...names: readonly string[]): Promise<LiarBench> {
    return await LiarBench.on(await workloadNamed(defaultWorkload), ...names);
  }

  static async on(workload: LoadedWorkload, ...names: readonly string[]): Promise<LiarBench> {
    return await LiarBench.with({}, workload, ...names);
  }

  /** The same with options of their own. */
  static async with(
    options: Partial<TargetOptions>,
    workload: LoadedWorkload,
    ...names: readonly string[]
  ): Promise<LiarBench> {
    const liarBench = new LiarBench(workload);
    try {
      for (const name of names) {
        const { found, clientModulePath } = await connectorNamed(name);
        const route = await loadConnector(found);
        const target = await liarBench.#place.start(route, {
          ...options,
          workload: targetWorkload(workload),
        });
        liarBench.#stages.set(name, { target, route, clientModulePath });
      }
    } catch (error) {
      await liarBench.close();
      throw error;
    }
    return liarBench;
  }

  /** Why a target with these options is unavailable here; null where it is available. */
  static async lack(name: string, options: Partial<TargetOptions>): Promise<string | null> {
    const route = await loadConnector((await connectorNamed(name)).found);
    const workload = targetWorkload(await workloadNamed(defaultWorkload));
    const answer = await route.probe({ ...loneTargetOptions, ...options, workload });
    return answer.available ? null : `${answer.reason}; ${answer.remedy}`;
  }

  deployment(name: string): Deployment {
    return this.#stage(name).target.deployment;
  }

  /** Another target of the same route, on the same server, with options of its own. */
  async beside(name: string, options: Partial<TargetOptions>): Promise<Deployment> {
    const { target, route } = this.#stage(name);
    const workload = targetWorkload(this.#workload);
    return await target.beside(route, { ...loneTargetOptions, ...options, workload });
  }

  /** Seeds a target's tables as for a trial of these sizes, and returns them. */
  async seed(name: string, sizes: SmallSizes, streamSeed?: string): Promise<ControlPlane> {
    const { description } = this.#workload;
    const drawn = streamSeed === undefined ? {} : { seed: streamSeed };
    const { tables } = await seed({
      cell: { target: name, parameters: { ...smallParameters(description, sizes), ...drawn } },
      workload: description,
      deployment: this.deployment(name),
      signal: AbortSignal.timeout(10_000),
    });
    return tables;
  }

  /** Seeds a target's tables, and removes every row. */
  async empty(name: string): Promise<ControlPlane> {
    const tables = await this.seed(name, {});
    for (const table of this.#workload.description.tables.keys()) {
      await tables.clear(table, AbortSignal.timeout(10_000));
    }
    return tables;
  }

  /** A trial with a liar's client module between load client and system; its own rule alone must catch a lie. */
  async withClient(name: string, liar: LiarName, lie: Lie, setting: Setting = {}): Promise<TrialRecord> {
    const client = fileURLToPath(new URL(`${liar}.ts`, liars));
    const innerModule = pathToFileURL(this.#stage(name).clientModulePath).href;
    const record = await this.#trial(name, client, setting, {
      before: (deployment) => ({
        ...deployment,
        endpoint: endpointOfLiar(deployment.endpoint, innerModule, lie, this.#liedPath(name)),
      }),
      liar: lie === 'told' ? liar : null,
    });
    return lie === 'told' ? caught(liar, record) : record;
  }

  /** A trial by a load client that lies about its plan or its result; its own rule alone must catch a lie. */
  async withLoadClient(name: string, lie: LiarName | 'none', setting: Setting = {}): Promise<TrialRecord> {
    const loadClient = onThisMachine({ command: process.execPath, arguments: [lyingLoadClient, lie] });
    const record = await this.#trial(
      name,
      this.#stage(name).clientModulePath,
      { ...setting, loadClient },
      { before: asItIs, liar: lie === 'none' ? null : lie },
    );
    return lie === 'none' ? record : caught(lie, record);
  }

  /** A trial with the system's own client module. */
  async withoutClient(name: string, setting: Setting = {}): Promise<TrialRecord> {
    const { clientModulePath } = this.#stage(name);
    return await this.#trial(name, clientModulePath, setting, { before: asItIs, liar: null });
  }

  /** The concurrent burst by which a run rehearses a target. */
  async contend(name: string, controlPlane = asItIs): Promise<Contended> {
    const { target, clientModulePath } = this.#stage(name);
    return await contend({
      target: name,
      client: await importClient(clientModulePath),
      deployment: controlPlane(target.deployment),
      description: this.#workload.description,
      sessionsMax: 16,
      enoughMs: 20_000,
      signal: AbortSignal.timeout(30_000),
    });
  }

  /** The whole rehearsal of a target, as before a run. */
  async rehearse(name: string, deployment: Deployment, byUrl: boolean, hasOwnTables = false): Promise<void> {
    const { found } = await connectorNamed(name);
    const signal = AbortSignal.timeout(60_000);
    await rehearse({
      target: name,
      found,
      deployment,
      workload: this.#workload,
      byUrl,
      hasOwnTables,
      sessionsMax: 16,
      signal,
    });
  }

  /** Measured again while the machine has voided it, and not the liar. */
  async #trial(
    name: string,
    clientModulePath: string,
    { controlPlane = asItIs, sizes = {}, parameters, ...trial }: Setting & Pick<ShortTrial, 'loadClient'>,
    { before, liar }: Told,
  ): Promise<TrialRecord> {
    const { target } = this.#stage(name);
    const { description } = this.#workload;
    const setting: ShortTrial = {
      target: name,
      deployment: before(controlPlane(target.deployment)),
      client: nodeClient(clientModulePath),
      directory: target.directory,
      workload: description,
      parameters: { ...smallParameters(description, { rows: trialRows, ...sizes }), ...parameters },
      ...trial,
    };
    return await measuredUndisturbed(liar, async () => await runShortTrial(setting));
  }

  async close(): Promise<void> {
    await this.#place.close();
  }

  /** How often a liar of a system's last trial lied, by its own count: of the trial that was measured again, and those before. */
  async lies(name: string): Promise<number> {
    const text = await readFile(this.#liedPath(name), 'utf8').catch(() => '');
    await rm(this.#liedPath(name), { force: true });
    return text.split('\n').reduce((sum, line) => sum + Number(line), 0);
  }

  #liedPath(name: string): string {
    return join(this.#stage(name).target.directory, 'lied.txt');
  }

  #stage(name: string): Stage {
    const stage = this.#stages.get(name);
    if (stage === undefined) throw new Error(`${name} was not started`);
    return stage;
  }
}

/** A connector that the Node load client can drive. */
export async function connectorNamed(
  name: string,
): Promise<{ readonly found: FoundConnector; readonly clientModulePath: string }> {
  const { connectors } = await discover(root);
  const found = connectors.find((candidate) => candidate.name === name);
  const clientModulePath = found?.nodeClientPath ?? null;
  if (found === undefined || clientModulePath === null) {
    throw new Error(`${name} is no connector of this repository that the Node load client can drive`);
  }
  return { found, clientModulePath };
}

function asItIs(deployment: Deployment): Deployment {
  return deployment;
}

/** The record of a liar's trial, which must be void by the liar's own rule and by no other. */
export function caught(liar: LiarName, record: TrialRecord): TrialRecord {
  expect(caughtOtherwise(liar, record), `${liar}: ${verdictOf(record)}`).toEqual([]);
  return record;
}

/** `ok`, or why the trial is void. */
export function verdictOf(record: TrialRecord): string {
  return record.status === 'ok' ? 'ok' : `${record.status}: ${record.reason}`;
}
