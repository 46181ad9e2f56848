import { randomBytes } from 'node:crypto';
import { configuredTargets } from '../config/configured-targets.ts';
import { readConfig } from '../config/read-config.ts';
import { discoverFor } from '../discover/workspace.ts';
import { type ComposeStack, startComposeStack } from '../docker/compose-stack.ts';
import { InputError } from '@fair-bench/contract';
import { buildOptimizedPlan, type OptimizedPlan } from '../plan/optimized-plan.ts';
import { variantsOf } from '../plan/variants.ts';
import { buildPlan, type PlanInput } from '../plan/build-plan.ts';
import { availableOfTwoSystems } from './quick-look.ts';
import { chosenTargets } from '../targets/known-targets.ts';
import { carryOut, type PreparedRun, type RunCommandInput } from './carry-out.ts';
import type { ExitCode } from './exit-codes.ts';
import { runId } from './folders.ts';
import { prepareContext } from './prepare-context.ts';
import { loadWorkload } from '../discover/workload.ts';
import { cellNamed, printTrialPlan } from './print-plan.ts';
import { preparePublishedRun } from './published-run.ts';
import type { RunOptions } from '../options/run-options.ts';

/** `fair-bench` and `bench`: validates, then measures. InputErrors come before anything is started or made. */
export async function runCommand(input: RunCommandInput): Promise<ExitCode> {
  const { options } = input;
  refuseStrayClaim(options);
  const { printPlan } = options;
  if (printPlan !== undefined) cellNamed((await prepare(input)).plan, printPlan);
  const stack = await startStack(input);
  const reached =
    stack === null ? input : { ...input, options: { ...options, url: [...options.url, ...stack.urls] } };
  try {
    const prepared = await prepare(reached);
    return printPlan === undefined ? await carryOut(prepared) : await printTrialPlan(prepared, printPlan);
  } finally {
    await stack?.close();
  }
}

async function prepare(input: RunCommandInput): Promise<PreparedRun> {
  return input.options.mode === 'published' ? await preparePublishedRun(input) : await prepareRun(input);
}

/** With `--provider docker`: what the run would start, and nothing before its options have been checked. */
async function startStack({ root, options }: RunCommandInput): Promise<ComposeStack | null> {
  if (options.provider === undefined) return null;
  const workload = await loadWorkload(root, options.workload);
  const catalog = await discoverFor(root, workload);
  const configured = configuredTargets(catalog, await readConfig(root, options.config));
  const targets = chosenTargets(catalog, options, configured);
  const ours = targets.filter((target) => !target.configured && target.url === null);
  const systems = new Set(ours.map(({ connector }) => connector.manifest.system));
  return await startComposeStack({ root, systems, id: randomBytes(4).toString('hex') });
}

async function prepareRun(given: RunCommandInput): Promise<PreparedRun> {
  const { root, options, command, dataDirectory } = given;
  const workload = await loadWorkload(root, options.workload);
  const catalog = await discoverFor(root, workload);
  const id = runId(options.mode, new Date());
  const configured = configuredTargets(catalog, await readConfig(root, options.config));
  const all = chosenTargets(catalog, options, configured);
  const isQuickLook = options.quick && options.systems === undefined;
  const targets = isQuickLook ? await availableOfTwoSystems(all) : all;
  const { connectors } = catalog;
  const { plan, definitions, requested } =
    options.mode === 'optimized'
      ? buildOptimizedPlan({ id, command, options, targets, connectors, workload })
      : buildFairPlan({ id, command, options, targets, workload });
  const input = { root, plan, targets: definitions, workload, options, dataDirectory };
  const context = await prepareContext(input);
  const required = new Set(options.systems === undefined ? [] : requested);
  const { strict, verbose } = options;
  return { plan, context, strict, verbose, required, failOnRegression: given.failOnRegression ?? false };
}

/** Without an option that varies them, targets are as they were requested. */
function buildFairPlan(input: PlanInput): OptimizedPlan {
  const { durability = 'durable', profile = 'default' } = input.options;
  const isVaried = durability !== 'durable' || profile !== 'default';
  const targets = isVaried ? variantsOf(input.targets, { durability, profile }).targets : input.targets;
  const plan = buildPlan({ ...input, targets });
  return { plan, definitions: targets, requested: targets.map(({ target }) => target) };
}

function refuseStrayClaim({ mode, claim }: RunOptions): void {
  if (claim !== undefined && mode !== 'published') {
    throw new InputError(
      `--claim: got "${claim}" with --mode ${mode}; accepts a claim with --mode published alone`,
    );
  }
}
