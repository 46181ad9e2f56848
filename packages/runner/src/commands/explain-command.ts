import { join, resolve } from 'node:path';
import type { RunDesign } from '@fair-bench/analysis';
import { type Catalog } from '../discover/workspace.ts';
import { type ConfiguredTarget } from '../config/configured-targets.ts';
import { bestDepth, completeEnds, type End } from '../explain/endpoint.ts';
import { fitBudget, type FittedCells } from '../explain/fit-budget.ts';
import { gapBetween } from '../explain/plan-cells.ts';
import { pointOfEnd, type ResolutionContext, resolve as resolvePoint } from '../explain/point.ts';
import { assemblePlan, cellId } from '../plan/assemble-plan.ts';
import { requestedBudgetMs } from '../plan/fit-plan.ts';
import { printClaims } from '../claims/list-claims.ts';
import { claimedParameters } from '../claims/load.ts';
import { InputError, typedCommand } from '@fair-bench/contract';
import { axisSettings, pointAt, pointOfSettings } from '../plan/parameters.ts';
import { defaultValues, type SettingValues, settingsOf, resultsFolder } from '@fair-bench/results';
import type { TargetDefinition } from '../targets/definition.ts';
import { chosenTargets, knownTargets } from '../targets/known-targets.ts';
import { type RequestedGap, requestedGap, claimPart, unavailableEnd } from './requested-gap.ts';
import { runAndReport, type CommandInput } from './run-and-report.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { type ExplainOptions, runDefaults } from '../options/run-options.ts';
import { checkResultsDirectory, runId } from './folders.ts';
import { holdHost } from './hold-host.ts';
import { atSomeDepth, type AtDepth, type DepthRun, depthSearchMs, findDepths } from './find-depth.ts';
import { prepareContext, workspaceOf } from './prepare-context.ts';
import { unavailableTargets } from '../provision/probe.ts';
import { type LoadedWorkload } from '../discover/workload.ts';

/**
 * `explain`: finds the best depth where it is requested, then measures as many cells between the two ends as the
 * budget allows. InputErrors come before anything is started or created.
 */
export async function explainCommand(input: CommandInput<ExplainOptions>): Promise<ExitCode> {
  const { root, options, command, dataDirectory } = input;
  if (options.from === undefined && options.claim === undefined) {
    await printClaims(root, typedCommand('explain', ['']).trimEnd());
    throw new InputError(
      '--from: got nothing; accepts TARGET[key=value,…] with --to, or --claim NAME, one of those above',
    );
  }
  const { workload, catalog, configured } = await workspaceOf(root, options);
  const possible = knownTargets(catalog, options, configured).filter(({ connector }) => connector.isBound);
  const requested = await requestedGap(root, options, possible, axisSettings(workload));
  const ends = endsOf(requested, options, { catalog, configured, possible }, workload);
  const id = runId('explain', new Date());
  const out = resolve(options.out ?? join(resultsFolder(root), id));
  await checkResultsDirectory(out);
  const planOptions = { ...options, trials: 1 };
  const run = { root, id, command, dataDirectory, workload, out, options: planOptions };
  // The expected time, not the measured one: the same command always plans the same cells, even if it first has to
  // build a client.
  const searchMs = depthSearchMs([ends.from, ends.to], ends.resolution, run);
  // Only after it is certain that the rest fits.
  fitEnds(ends, atSomeDepth, options, searchMs);
  await refuseUnavailableEnds(requested, ends, run);
  using host = holdHost({ root, command: typedCommand('explain'), share: options.shareHost });
  const depths = await findDepths([ends.from, ends.to], ends.resolution, run);
  if (depths === null) return exitCodes.interrupted;
  const searchedMs = performance.now();
  const fitted = fitEnds(ends, depths, options, searchMs);
  const { design, specs } = fitted;
  const plan = assemblePlan({
    id,
    mode: 'explain',
    command,
    // Without a budget: the expected time of the chosen cells.
    options: {
      ...options,
      budget: requestedBudgetMs(options),
      budgetDefault: Math.ceil(searchedMs + fitted.expectedMs),
    },
    rounds: fitted.rounds,
    specs,
    workload,
    design: designOf(fitted),
  });
  const targets = specs.map(({ target }) => target);
  const context = await prepareContext({
    root,
    plan,
    targets,
    workload,
    options: { ...options, out },
    dataDirectory,
  });
  const question = { explain: design, ...claimPart(requested, design) };
  const required = plan.targets.map(({ target }) => [target]);
  return await runAndReport({
    plan: { ...plan, ...host.planned },
    context: { ...context, question },
    strict: false,
    verbose: options.verbose,
    required,
  });
}

/** Without both ends there is nothing to explain: an InputError says which is unavailable. Nothing is started. */
async function refuseUnavailableEnds(
  requested: RequestedGap,
  { from, to, resolution }: Ends,
  { root, id, command, options, workload, dataDirectory }: DepthRun,
): Promise<void> {
  const specs = [from, to].flatMap((end) => {
    const resolved = resolvePoint(pointOfEnd(atSomeDepth(end), resolution), resolution);
    return resolved.possible ? [resolved.spec] : [];
  });
  const plan = assemblePlan({ id, mode: 'explain', command, options, specs, workload });
  const targets = specs.map(({ target }) => target);
  const context = await prepareContext({ root, plan, targets, workload, options: {}, dataDirectory });
  const unavailable = await unavailableTargets({ plan, ...context });
  const [ofFrom = null, ofTo = null] = targets.map(({ target }) => unavailable.get(target) ?? null);
  if (ofFrom !== null || ofTo !== null) throw unavailableEnd(requested, ofFrom, ofTo);
}

/** The ends and the architecture are one block and are measured consecutively; it gets the remaining rounds. */
function designOf({ specs, core, contrasts }: FittedCells): RunDesign {
  const inCore = new Set(core.map(cellId));
  const others = specs.map(cellId).filter((id) => !inCore.has(id));
  return { contrasts, blocks: [[...inCore], others].filter(({ length }) => length > 0) };
}

/** Both ends complete, except depths that are still to be found. */
interface Ends {
  readonly from: End;
  readonly to: End;
  readonly resolution: ResolutionContext;
}

interface Known {
  readonly catalog: Catalog;
  readonly configured: readonly ConfiguredTarget[];
  readonly possible: readonly TargetDefinition[];
}

function endsOf(
  requested: RequestedGap,
  options: ExplainOptions,
  { catalog, configured, possible }: Known,
  workload: LoadedWorkload,
): Ends {
  const { seed } = options;
  const param = requested.claimed === null ? options.param : claimedParameters(requested.claimed.claim);
  const axes = axisSettings(workload);
  const bases = new Set([requested.from.base, requested.to.base]);
  const systems = new Set(possible.filter(({ base }) => bases.has(base)).map(({ system }) => system));
  const lacking = new Set(
    configured.filter(({ endpoint }) => endpoint.status === 'lacking').map(({ target }) => target),
  );
  const names = possible
    .filter(({ base, system }) => bases.has(base) || (systems.has(system) && !lacking.has(base)))
    .map(({ target }) => target);
  const { processes, poolSize, url, setup, set, depth } = options;
  const choice = { systems: names, url, setup, set, processes, poolSize };
  const definitions = chosenTargets(catalog, choice, configured);
  const connectors = [...new Set(definitions.map(({ connector }) => connector))];
  const preferred = [requested.from.connector, requested.to.connector];
  const table = settingsOf(connectors, axes);
  const load = { depth: depth ?? 1, sessions: options.sessions ?? Number(runDefaults.sessions) };
  const { parameters } = pointAt(workload, { seed, param }, {});
  const defaults = defaultValues(connectors, { processes, poolSize, ...load }, axes, parameters);
  const nativeDepth = depth === undefined ? bestDepth : String(depth);
  const pointOf = (settings: SettingValues) => pointOfSettings(workload, { seed, param }, settings);
  const resolution = { definitions, preferred, table, defaults, pointOf };
  return { ...completeEnds(requested.from, requested.to, { table, defaults, nativeDepth }), resolution };
}

/** The cells and rounds for the budget that is left after `spentMs`. */
function fitEnds({ from, to, resolution }: Ends, at: AtDepth, options: ExplainOptions, spentMs: number) {
  const { trials, duration, warmup, deployments } = options;
  const budget = requestedBudgetMs(options);
  return fitBudget(gapBetween(at(from), at(to), resolution), {
    budgetMs: budget === undefined ? undefined : Math.max(0, budget - spentMs),
    limitedBy: options.budget === undefined ? 'quick' : 'budget',
    trials,
    times: { duration, warmup, deployments },
  });
}
