import { randomBytes } from 'node:crypto';
import { type ComposeStack, startComposeStack } from '../docker/compose-stack.ts';
import { badOption, InputError, typedCommand } from '@fair-bench/contract';
import { optionName } from '../options/option-texts.ts';
import { buildOptimizedPlan, type PlannedRun } from '../plan/optimized-plan.ts';
import { variantsOf } from '../plan/variants.ts';
import { buildPlan, type PlanInput } from '../plan/build-plan.ts';
import type { TargetDefinition } from '../targets/definition.ts';
import { chosenTargets, knownTargets } from '../targets/known-targets.ts';
import { selectTargets } from '../targets/select-targets.ts';
import { runAndReport, type PreparedRun, type RunCommandInput } from './run-and-report.ts';
import type { ExitCode } from './exit-codes.ts';
import { runId } from './folders.ts';
import { holdHost } from './hold-host.ts';
import { refuseSlices } from '../plan/slices.ts';
import { prepareContext, workspaceOf } from './prepare-context.ts';
import { cellNamed, printTrialPlan } from './print-plan.ts';
import { preparePublishedRun } from './published-run.ts';
import { readEarlierSearch } from '../search/earlier-search.ts';
import type { RunOptions } from '../options/run-options.ts';
import { lacksOfFaults } from '../faults/lacks.ts';
import { refuseTooManyFiles } from '../plan/open-files.ts';
import { nothingAvailable, probeAlone, unavailableTargets } from '../provision/probe.ts';

/** `fair-bench` and `bench`: validates, then measures. InputErrors come before anything is started or created. */
export async function runCommand(input: RunCommandInput): Promise<ExitCode> {
  const { options } = input;
  refuseStrayOptions(options);
  const { printPlan } = options;
  if (printPlan !== undefined) cellNamed((await prepare(input)).plan, printPlan);
  // Bad input is answered before another run is: the user can mend it meanwhile.
  const checked = options.provider === undefined ? await prepare(input) : null;
  const [name = 'fair-bench'] = input.command;
  using host = holdHost({ root: input.root, command: typedCommand(name), share: options.shareHost });
  const stack = await startStack(input);
  const reached =
    stack === null ? input : { ...input, options: { ...options, url: [...options.url, ...stack.urls] } };
  try {
    const { plan, ...rest } = checked ?? (await prepare(reached));
    const prepared = { ...rest, plan: { ...plan, ...host.planned } };
    if (printPlan !== undefined) return await printTrialPlan(prepared, printPlan);
    // What is tried for it would disturb another run; it starts no target.
    const faultLacks = await lacksOfFaults(plan, prepared.context);
    return await runAndReport({ ...prepared, context: { ...prepared.context, faultLacks } });
  } finally {
    await stack?.close();
  }
}

async function prepare(input: RunCommandInput): Promise<PreparedRun> {
  return input.options.mode === 'published' ? await preparePublishedRun(input) : await prepareRun(input);
}

/** With `--provider docker`: the stack that the run would start; its options are checked first. */
async function startStack({ root, options }: RunCommandInput): Promise<ComposeStack | null> {
  if (options.provider === undefined) return null;
  const { catalog, configured } = await workspaceOf(root, options);
  const targets = chosenTargets(catalog, options, configured);
  const ours = targets.filter((target) => !target.configured && target.url === null);
  const systems = new Set(ours.map(({ connector }) => connector.manifest.system));
  return await startComposeStack({ root, systems, id: randomBytes(4).toString('hex') });
}

async function prepareRun(given: RunCommandInput): Promise<PreparedRun> {
  const { root, options, command, dataDirectory } = given;
  const { workload, catalog, configured } = await workspaceOf(root, options);
  const id = runId(options.mode, new Date());
  const all = chosenTargets(catalog, options, configured);
  const isQuickLook = options.quick && options.systems === undefined;
  const targets = isQuickLook ? await availableOfTwoSystems(all) : all;
  const { plan, definitions, requested } =
    options.mode === 'optimized'
      ? buildOptimizedPlan({ id, command, options, targets, workload })
      : buildFairPlan({
          id,
          command,
          options,
          targets,
          workload,
          ...(given.soak === undefined ? {} : { soak: given.soak }),
          unavailable: await unavailableIn(options, all),
        });
  const input = { root, plan, targets: definitions, workload, options, dataDirectory };
  const earlierSearch =
    options.continue === undefined ? [] : await readEarlierSearch(root, options.continue, plan);
  const context = { ...(await prepareContext(input)), earlierSearch };
  const required = requiredOf(requested, options.systems ?? null, definitions);
  const { strict, verbose } = options;
  const { comparing } = given;
  if (comparing !== undefined) {
    const known = knownTargets(catalog, options, configured);
    const ends = comparing.ends.map((end) => selectTargets(known, [end]).map(({ target }) => target));
    refuseUnavailableEnds(comparing.ends, ends, await unavailableTargets({ plan, ...context }));
  }
  refuseTooManyFiles(plan);
  refuseSlices(plan, workload.description);
  const named = options.systems;
  const lack = named === undefined ? null : await nothingAvailable({ plan, ...context });
  if (lack !== null)
    throw badOption('systems', named?.join(',') ?? '', `a target that is available here; ${lack}`);
  return { plan, context, strict, verbose, required, failOnRegression: comparing?.failOnRegression ?? false };
}

/** Where targets were not named, those that are unavailable here take no time of the budget. */
async function unavailableIn(
  { systems, quick }: RunOptions,
  targets: readonly TargetDefinition[],
): Promise<ReadonlySet<string>> {
  if (systems !== undefined || quick) return new Set();
  const answers = await Promise.all(
    targets.map(async (definition) => {
      // An endpoint that is refused is an input error later, with its option.
      const answer = await probeAlone(definition).catch(() => null);
      // So is an option that asks for more than a server gives.
      const isAvailable = answer !== null && (answer.available || answer.fits !== undefined);
      return isAvailable ? [] : [definition.target];
    }),
  );
  return new Set(answers.flat());
}

/** Of each at least one target must be available: a target that was named, or the requested ones of a system that was. */
function requiredOf(
  requested: readonly string[],
  names: readonly string[] | null,
  definitions: readonly TargetDefinition[],
): readonly (readonly string[])[] {
  if (names === null) return [];
  const systems = new Map(definitions.map(({ target, system }) => [target, system]));
  return requested.map((target) => {
    const system = systems.get(target);
    if (system === undefined || !names.includes(system) || names.includes(target)) return [target];
    return requested.filter((other) => systems.get(other) === system);
  });
}

/** Without both ends there is nothing to compare: an InputError names the one of which no target is available. */
function refuseUnavailableEnds(
  names: readonly string[],
  targets: readonly (readonly string[])[],
  unavailable: ReadonlyMap<string, string>,
): void {
  for (const [index, own] of targets.entries()) {
    if (own.some((target) => !unavailable.has(target))) continue;
    const reasons = own.map((target) => unavailable.get(target)).join('; ');
    throw badOption('interleave', names[index] ?? '', `two targets that are available here; ${reasons}`);
  }
}

/** Without an option that varies them, targets stay as requested. */
function buildFairPlan(input: PlanInput): PlannedRun {
  const { durability = 'durable', profile = 'default' } = input.options;
  const isVaried = durability !== 'durable' || profile !== 'default';
  const targets = isVaried ? variantsOf(input.targets, { durability, profile }).targets : input.targets;
  const plan = buildPlan({ ...input, targets });
  return { plan, definitions: targets, requested: targets.map(({ target }) => target) };
}

function refuseStrayOptions({ mode, claim, ...options }: RunOptions): void {
  if (options.fault !== undefined && 'cores' in options && options.cores !== undefined) {
    throw new InputError(
      '--fault: accepts nothing with --cores; --pin on gives load client and servers processors of their own',
    );
  }
  if (options.fault !== undefined && (mode !== 'fair' || options.loadAgents !== undefined)) {
    const other = mode === 'fair' ? '--load-agents' : `--mode ${mode}`;
    throw new InputError(
      `--fault: accepts nothing with ${other}; faults are injected in fair mode, by a load client of this machine`,
    );
  }
  const searching = (['p99Max', 'continue'] as const).find((name) => options[name] !== undefined);
  if (searching !== undefined && mode !== 'optimized') {
    throw new InputError(
      `${optionName(searching)}: accepts nothing with --mode ${mode}; add --mode optimized`,
    );
  }
  if (claim !== undefined && mode !== 'published') {
    throw new InputError(
      `--claim: got "${claim}" with --mode ${mode}; accepts a claim only with --mode published`,
    );
  }
}

/**
 * For a first look: the first available target of each of the first two systems. Rejects with an InputError when
 * fewer than two systems are available.
 */
async function availableOfTwoSystems(
  targets: readonly TargetDefinition[],
): Promise<readonly TargetDefinition[]> {
  const found = new Map<string, TargetDefinition>();
  for (const definition of targets) {
    if (found.size === 2) break;
    if (!found.has(definition.system) && (await probeAlone(definition)).available) {
      found.set(definition.system, definition);
    }
  }
  if (found.size < 2) {
    throw new InputError(
      `--quick: fewer than two systems are available; see ${typedCommand('list')}, or name --systems`,
    );
  }
  return [...found.values()];
}
