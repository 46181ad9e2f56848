import {
  type ProvisionContext,
  type SharedService,
  type TargetWorkload,
  messageOf,
} from '@fair-bench/contract';
import { adminApi, type AdminApi } from './admin-api.ts';
import { adminKeyNamed } from './admin-key.ts';
import { deployFunctions } from './deploy.ts';
import { describeDeployment, type Described } from './facts.ts';
import type { ConvexOptions } from './options.ts';
import { clearTable } from './tables.ts';

/** A deployment with our functions, which serves one or more `convex-*` targets. */
export interface ConvexService extends SharedService {
  readonly api: AdminApi;
  readonly described: Described;
  readonly workload: TargetWorkload;
}

export const noDeployment = 'no Convex deployment is named, and none can be started here';

/** The ways to get one. */
export const remedy =
  'start a self-hosted backend (`docker compose up convex`, or https://docs.convex.dev/self-hosting) or make a deployment ' +
  'of its own on Convex Cloud; then --url convex=http://HOST:3210 with its admin key (self-hosted: ' +
  './generate_admin_key.sh in its container; cloud: a deploy key) in CONVEX_SELF_HOSTED_ADMIN_KEY';

const closeTimeoutMs = 8_000;

/** The deployment of a target, prepared once for all targets that name it. Rejects with target, fact and remedy. */
export async function reachConvex(context: ProvisionContext, options: ConvexOptions): Promise<ConvexService> {
  const { target, signal } = context;
  const { url, workload } = context.options;
  if (workload === null) throw new Error(`${target}: no workload is chosen; name one`);
  if (url === undefined) throw new Error(`${target}: ${noDeployment}; ${remedy}`);
  const key = adminKeyNamed(options.adminKeyVariable);
  if (key === null) throw new Error(`${target}: ${noKey(options.adminKeyVariable)}; ${remedy}`);
  const api = adminApi(url, key);
  return await context.shared(`convex ${api.origin} ${options.adminKeyVariable}`, async () => {
    try {
      const kind = await api.kind(signal);
      if (options.deploy === 'always') await deployFunctions(api, kind, workload, signal);
      return serviceOf(target, api, workload, await describeDeployment(api, signal));
    } catch (error) {
      signal.throwIfAborted();
      throw new Error(`${target}: ${messageOf(error)}`, {
        cause: error,
      });
    }
  });
}

export function noKey(variable: string): string {
  return `the environment has no ${variable}, and nothing can be seeded or read without the admin key`;
}

function serviceOf(
  target: string,
  api: AdminApi,
  workload: TargetWorkload,
  described: Described,
): ConvexService {
  return {
    api,
    described,
    workload,
    async check(signal) {
      try {
        await describeDeployment(api, signal);
      } catch (cause) {
        const said = messageOf(cause);
        throw new Error(`${target}: its Convex deployment does not answer: ${said}`, { cause });
      }
    },
    // The functions stay; rows are deleted.
    async close() {
      const signal = AbortSignal.timeout(closeTimeoutMs);
      for (const table of workload.shape.tables) await clearTable(api, table, signal);
    },
  };
}
