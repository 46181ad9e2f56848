import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { TargetWorkload } from '@fair-bench/contract';
import { convexCommand, modulesWithFunctions, writeProject } from '@fair-bench/rpc-server-convex';
import type { AdminApi, DeploymentKind } from './admin-api.ts';
import { searchPath } from './env.ts';

const deployTimeoutMs = 120_000;
const outputCharactersMax = 2_000;
const outputBytesMax = 1_000_000;

const functionsSchema = z.array(z.object({ identifier: z.string().optional() }));

/**
 * Pushes a workload's functions with Convex's command line, which bundles them here. Rejects when the deployment has
 * functions of someone else, which a push would replace; a failed push rejects with the command's message.
 */
export async function deployFunctions(
  api: AdminApi,
  kind: DeploymentKind,
  workload: TargetWorkload,
  signal: AbortSignal,
): Promise<void> {
  await refuseForeignFunctions(api, signal);
  const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-convex-'));
  // It writes a login and a cache into its user's home folder, which must not be ours.
  const home = join(scratch, 'home');
  const project = join(scratch, 'project');
  try {
    await mkdir(home);
    await mkdir(project);
    await writeProject(project, workload.shape, bindingPath(workload));
    await runDeploy(
      api,
      project,
      {
        PATH: searchPath(),
        HOME: home,
        CI: '1',
        NO_COLOR: '1',
        NODE_NO_WARNINGS: '1',
        ...credentials(api, kind),
      },
      signal,
    );
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Where a workload's functions are. */
export function bindingPath({ folder }: TargetWorkload): string {
  return join(folder, 'convex.ts');
}

async function refuseForeignFunctions(api: AdminApi, signal: AbortSignal): Promise<void> {
  const functions = await api.call('_system/cli/modules:apiSpec', {}, functionsSchema, signal);
  const modules = functions.flatMap(
    ({ identifier }) => identifier?.split(':')[0]?.replace(/\.js$/, '') ?? [],
  );
  const foreign = [...new Set(modules)].filter((module) => !modulesWithFunctions.includes(module));
  if (foreign.length === 0) return;
  throw new Error(
    `${api.origin} has functions that are not ours (${foreign.slice(0, 3).join(', ')}), which a push would replace; ` +
      'name a deployment for nothing else',
  );
}

/** The key goes into the environment: every user of a machine can read arguments. */
function credentials({ origin, key }: AdminApi, kind: DeploymentKind): Record<string, string> {
  if (kind === 'cloud') return { CONVEX_DEPLOY_KEY: key.reveal() };
  return { CONVEX_SELF_HOSTED_URL: origin, CONVEX_SELF_HOSTED_ADMIN_KEY: key.reveal() };
}

async function runDeploy(
  { origin, key }: AdminApi,
  cwd: string,
  env: Record<string, string>,
  signal: AbortSignal,
): Promise<void> {
  // Nothing is generated: the functions are typed without it.
  const words = [convexCommand, 'deploy', '--codegen', 'disable', '--typecheck', 'disable', '--yes'];
  const options = {
    cwd,
    env,
    signal,
    timeout: deployTimeoutMs,
    killSignal: 'SIGKILL' as const,
    maxBuffer: outputBytesMax,
  };
  await new Promise<void>((resolve, reject) => {
    const child = execFile(process.execPath, words, options, (error, stdout, stderr) => {
      if (error === null) return resolve();
      const ended =
        error.killed === true
          ? `did not end in ${deployTimeoutMs} ms`
          : `ended with ${error.code ?? 'a signal'}`;
      const said = key.redact(`${stdout}${stderr}`).trim().slice(-outputCharactersMax);
      // Not as its cause, which has the command's original output.
      reject(new Error(`convex deploy to ${origin} ${ended}: ${said}`));
    });
    child.stdin?.end();
  });
}
