import { fileURLToPath } from 'node:url';
import type { Deployment } from '@fair-bench/contract';
import { type LoneTarget, startLoneTarget } from '@fair-bench/supervisor';
import { discover, type LoadClientCommand, loadConnector } from '@fair-bench/runner';
import type { TrialRecord } from '@fair-bench/results';
import { behindLiar, type Lie } from '../../src/liars/lying-client.ts';
import { transferTarget } from '../../src/transfer-target.ts';
import { nodeClient, runShortTrial, type ShortTrial } from '../../src/short-trial.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const liars = new URL('../../src/liars/', import.meta.url);

/** A real system that a liar stands before. */
interface Stage {
  readonly target: LoneTarget;
  readonly clientModulePath: string;
}

type Setting = Pick<ShortTrial, 'sessions' | 'depth' | 'windowMs' | 'parameters' | 'loadClient'> & {
  /** What a lying control plane makes of the deployment. */
  readonly controlPlane?: (deployment: Deployment) => Deployment;
};

/** Runs liars, and their honest twins, against real systems by the runner's own trial. */
export class LiarBench {
  readonly #stages = new Map<string, Stage>();

  private constructor() {}

  /** Starts these connectors' targets. */
  static async open(...names: readonly string[]): Promise<LiarBench> {
    const liarBench = new LiarBench();
    try {
      const { connectors } = await discover(root);
      for (const name of names) {
        const found = connectors.find((candidate) => candidate.name === name);
        const clientModulePath = found?.nodeClientPath ?? null;
        if (found === undefined || clientModulePath === null) {
          throw new Error(`${name} is no connector of this repository that the Node load client can drive`);
        }
        const target = await startLoneTarget(await loadConnector(found), { workload: transferTarget });
        liarBench.#stages.set(name, { target, clientModulePath });
      }
    } catch (error) {
      await liarBench.close();
      throw error;
    }
    return liarBench;
  }

  deployment(name: string): Deployment {
    return this.#stage(name).target.deployment;
  }

  /** A trial with a liar's client module between load client and system. */
  async withClient(name: string, liar: string, lie: Lie, setting: Setting = {}): Promise<TrialRecord> {
    const { target, clientModulePath } = this.#stage(name);
    const { controlPlane = asItIs, ...trial } = setting;
    return await runShortTrial({
      target: name,
      deployment: behindLiar(controlPlane(target.deployment), clientModulePath, lie),
      client: nodeClient(fileURLToPath(new URL(`${liar}.ts`, liars))),
      directory: target.directory,
      ...trial,
    });
  }

  /** A trial with the system's own client module. */
  async withoutClient(name: string, setting: Setting = {}): Promise<TrialRecord> {
    const { controlPlane = asItIs, ...trial } = setting;
    const { target, clientModulePath } = this.#stage(name);
    return await runShortTrial({
      target: name,
      deployment: controlPlane(target.deployment),
      client: nodeClient(clientModulePath),
      directory: target.directory,
      ...trial,
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#stages.values()].map(async ({ target }) => await target.close()));
  }

  #stage(name: string): Stage {
    const stage = this.#stages.get(name);
    if (stage === undefined) throw new Error(`${name} was not started`);
    return stage;
  }
}

function asItIs(deployment: Deployment): Deployment {
  return deployment;
}

/** The load client that lies in the given way about its plan or its result. */
export function lyingLoadClient(lie: string): LoadClientCommand {
  return {
    command: process.execPath,
    arguments: [fileURLToPath(new URL('lying-load-client.ts', liars)), lie],
  };
}

/** `ok`, or why the trial is void. */
export function verdictOf(record: TrialRecord): string {
  return record.status === 'ok' ? 'ok' : `${record.status}: ${record.reason}`;
}
