import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Deployment,
  defaultTargetSettings,
  messageOf,
  type Route,
  type TargetOptions,
} from '@fair-bench/contract';
import { Deployments } from './deployments.ts';
import { createSupervisor, type RunSupervisor } from './supervisor.ts';

const provisionTimeoutMs = 60_000;

/** A target outside of a run. */
export interface LoneTarget {
  readonly deployment: Deployment;
  /** Its place's folder, with the logs; removed by `close`. */
  readonly directory: string;
  /** Starts another target, which shares services with it as in a run; closed with it. */
  beside(route: Route, options: TargetOptions): Promise<Deployment>;
  /** Ends the deployment, and the services under it unless its place keeps them. */
  close(): Promise<void>;
}

/** The default options of a lone target. */
export const loneTargetOptions: TargetOptions = {
  ...defaultTargetSettings,
  poolSize: 8,
  sessionsMax: 50,
  depthMax: 8,
  threadsMax: 1,
  batchMax: 16,
  workload: null,
};

/**
 * Starts a route's target as a run does, under its own supervisor: for tests. Rejects as the route does, and then
 * leaves nothing behind. `close` ends every process.
 */
export async function startLoneTarget(
  route: Route,
  options: Partial<TargetOptions> = {},
): Promise<LoneTarget> {
  const place = new LonePlace();
  try {
    const target = await place.start(route, options);
    return { ...target, close: async () => await place.close() };
  } catch (error) {
    await place.close();
    throw error;
  }
}

interface Site {
  readonly directory: string;
  readonly supervisor: RunSupervisor;
  readonly deployments: Deployments;
}

/** Where targets are started one after the other: the services under the first ones stay for the next ones until `close`. */
export class LonePlace {
  #site: Promise<Site> | null = null;
  #others = 0;

  async start(route: Route, options: Partial<TargetOptions> = {}): Promise<LoneTarget> {
    const { directory, deployments } = await (this.#site ??= makeSite());
    const names = [route.name];
    const closeAll = async (): Promise<void> => {
      const failures = await Promise.allSettled(names.map(async (name) => await deployments.close(name)));
      report(failures.flatMap((one) => (one.status === 'rejected' ? [messageOf(one.reason)] : [])));
    };
    try {
      const deployment = await deployments.ensure(route.name, route, { ...loneTargetOptions, ...options });
      deployments.keepServices(route.name);
      return {
        deployment,
        directory,
        beside: async (other, settings) => {
          this.#others += 1;
          const name = `${other.name}-beside-${this.#others}`;
          names.push(name);
          return await deployments.ensure(name, other, settings);
        },
        close: closeAll,
      };
    } catch (error) {
      await deployments.close(route.name);
      throw error;
    }
  }

  /** Ends every target, service and process; may be called again. */
  async close(): Promise<void> {
    const site = await this.#site;
    this.#site = null;
    if (site === null) return;
    const failures = await site.deployments.closeAll();
    await site.supervisor.stopAll();
    await rm(site.directory, { recursive: true, force: true });
    report(failures);
  }
}

async function makeSite(): Promise<Site> {
  const directory = await mkdtemp(join(tmpdir(), 'fair-bench-lone-'));
  const supervisor = createSupervisor({ logDirectory: directory });
  const deployments = new Deployments({
    supervisor,
    /** Each start has the whole time. */
    get signal() {
      return AbortSignal.timeout(provisionTimeoutMs);
    },
  });
  return { directory, supervisor, deployments };
}

function report(failures: readonly string[]): void {
  if (failures.length > 0) throw new Error(failures.join('; '));
}
