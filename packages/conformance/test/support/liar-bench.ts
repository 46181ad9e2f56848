import { fileURLToPath } from 'node:url';
import type { Deployment } from '@fair-bench/contract';
import { discover, type LoadClientCommand, loadConnector } from '@fair-bench/runner';
import type { TrialRecord } from '@fair-bench/results';
import { behindLiar, type Lie } from '../../src/liars/lying-client.ts';
import { type Bench, openBench } from '../../src/provision.ts';
import { nodeClient, runShortTrial, type ShortTrial } from '../../src/short-trial.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const liars = new URL('../../src/liars/', import.meta.url);

/** A real system that a liar stands before. */
interface Stage {
  readonly deployment: Deployment;
  readonly clientModulePath: string;
}

type Setting = Pick<ShortTrial, 'sessions' | 'depth' | 'windowMs' | 'parameters' | 'loadClient'> & {
  /** What a lying control plane makes of the deployment. */
  readonly controlPlane?: (deployment: Deployment) => Deployment;
};

/** Runs liars, and their honest twins, against real systems by the runner's own trial. */
export class LiarBench {
  readonly #bench: Bench;
  readonly #stages = new Map<string, Stage>();

  private constructor(bench: Bench) {
    this.#bench = bench;
  }

  /** Starts these connectors' targets. */
  static async open(...names: readonly string[]): Promise<LiarBench> {
    const bench = await openBench();
    const liarBench = new LiarBench(bench);
    try {
      const { connectors } = await discover(root);
      for (const name of names) {
        const found = connectors.find((candidate) => candidate.name === name);
        const clientModulePath = found?.nodeClientPath ?? null;
        if (found === undefined || clientModulePath === null) {
          throw new Error(`${name} is no connector of this repository that the Node load client can drive`);
        }
        const deployment = await bench.provision(await loadConnector(found));
        liarBench.#stages.set(name, { deployment, clientModulePath });
      }
    } catch (error) {
      await bench.close();
      throw error;
    }
    return liarBench;
  }

  deployment(name: string): Deployment {
    return this.#stage(name).deployment;
  }

  /** A trial with a liar's client module between load client and system. */
  async withClient(name: string, liar: string, lie: Lie, setting: Setting = {}): Promise<TrialRecord> {
    const { deployment, clientModulePath } = this.#stage(name);
    const { controlPlane = asItIs, ...trial } = setting;
    return await runShortTrial({
      target: name,
      deployment: behindLiar(controlPlane(deployment), clientModulePath, lie),
      client: nodeClient(fileURLToPath(new URL(`${liar}.ts`, liars))),
      directory: this.#bench.directory,
      ...trial,
    });
  }

  /** A trial with the system's own client module. */
  async withoutClient(name: string, setting: Setting = {}): Promise<TrialRecord> {
    const { controlPlane = asItIs, ...trial } = setting;
    const { deployment, clientModulePath } = this.#stage(name);
    const directory = this.#bench.directory;
    return await runShortTrial({
      target: name,
      deployment: controlPlane(deployment),
      client: nodeClient(clientModulePath),
      directory,
      ...trial,
    });
  }

  close(): Promise<void> {
    return this.#bench.close();
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
