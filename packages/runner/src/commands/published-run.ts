import type { Claim, ClaimDesign, Contrast, RunPlan } from '@fair-bench/results';
import { figureTarget } from '../claims/figure-target.ts';
import { claimedParameters, loadClaim } from '../claims/load.ts';
import { type Catalog, discoverFor } from '../discover/workspace.ts';
import { completeEnds } from '../explain/endpoint.ts';
import { configurationOfEnd, type Means, resolve } from '../explain/configuration.ts';
import { defaultValues, settingsOf } from '../settings/table.ts';
import { badOption, InputError } from '@fair-bench/contract';
import { assemblePlan, cellId, type CellSpec } from '../plan/assemble-plan.ts';
import { axisSettings, pointAt, pointOfSettings } from '../plan/parameters.ts';
import { chosenTargets } from '../targets/known-targets.ts';
import type { PreparedRun, RunCommandInput } from './carry-out.ts';
import { runId } from './folders.ts';
import { prepareContext } from './prepare-context.ts';
import { unavailableTargets } from '../provision/probe.ts';
import { type LoadedWorkload, loadWorkload } from '../discover/workload.ts';
import { optionName } from '../options/option-texts.ts';
import { runDefaults, type RunOptions } from '../options/run-options.ts';

/** Options that a claim has its own of; with one of them it would be another statement. */
const claimsOwn = ['systems', 'client', 'durability', 'profile', 'rate'] as const;
const claimsOwnText = 'nothing with --mode published: the claim sets it';
const claimsOwnDefaulted = ['sessions', 'depth'] as const;

/**
 * Prepares published mode: one cell per figure of the claim, with the claim's settings as far as they are available
 * here.
 */
export async function preparePublishedRun(input: RunCommandInput): Promise<PreparedRun> {
  const { root, options, command, dataDirectory } = input;
  if (options.claim === undefined) {
    throw new InputError('--mode: got "published" without a claim; add --claim NAME, a file in claims/');
  }
  refuseOwnOptions(options);
  const claim = await loadClaim(root, options.claim);
  const workload = await loadWorkload(root, claim.workload);
  const catalog = await discoverFor(root, workload);
  const figures = figureCells(claim, options, catalog, workload);
  const specs = figures.flatMap(({ spec }) => spec ?? []);
  const cells = new Map(figures.flatMap(({ id, spec }) => (spec === null ? [] : [[id, cellId(spec)]])));
  const requested = claim.statements.flatMap(({ from, to }): Contrast[] => {
    const [baseline, contender] = [cells.get(from), cells.get(to)];
    return baseline === undefined || contender === undefined ? [] : [{ baseline, contender }];
  });
  const plan = assemblePlan({
    id: runId(options.mode, new Date()),
    mode: options.mode,
    command,
    options,
    specs,
    workload,
    requested,
  });
  const targets = specs.map(({ target }) => target);
  const context = await prepareContext({ root, plan, targets, workload, options, dataDirectory });
  const design: ClaimDesign = {
    claim,
    figures: figures.map(({ id, spec, notes }) => ({
      id,
      cellId: spec === null ? null : cellId(spec),
      notes: [...notes],
    })),
  };
  const study = { claim: design };
  const unmeasured = unmeasuredStatements(design, plan, await unavailableTargets({ plan, ...context }));
  // A claim names its author's settings: unavailable ones are listed, without an error.
  return {
    plan,
    context: { ...context, study },
    strict: options.strict,
    verbose: options.verbose,
    required: new Set(),
    unmeasured,
  };
}

/**
 * The statements that cannot be measured here, each reason once with all of its statements. An InputError when no
 * statement can.
 */
function unmeasuredStatements(
  { claim, figures }: ClaimDesign,
  { cells }: RunPlan,
  unavailable: ReadonlyMap<string, string>,
): readonly string[] {
  const lackOf = (id: string): string | null => {
    const figure = figures.find((one) => one.id === id);
    const cell = cells.find((one) => one.id === figure?.cellId);
    if (cell === undefined) return figure?.notes[0] ?? `no target here corresponds to ${id}`;
    return unavailable.get(cell.target) ?? null;
  };
  const reasons = claim.statements.map(({ from, to }) =>
    [...new Set([lackOf(from), lackOf(to)].filter((lack) => lack !== null))].join('; '),
  );
  if (reasons.every((reason) => reason !== '')) {
    const accepts = 'a claim with a statement whose targets are both available here';
    throw badOption('claim', claim.name, `${accepts}; ${[...new Set(reasons)].join('; ')}`);
  }
  const lacking = claim.statements.map(({ statement }, index) => ({
    statement,
    reason: reasons[index] ?? '',
  }));
  const byReason = Map.groupBy(
    lacking.filter(({ reason }) => reason !== ''),
    ({ reason }) => reason,
  );
  return [...byReason].map(
    ([reason, same]) =>
      `not measured: ${same.map(({ statement }) => `“${statement}”`).join(', ')}: ${reason}`,
  );
}

function refuseOwnOptions(options: RunOptions): void {
  const given = claimsOwn.find((name) => options[name] !== undefined);
  const changed = claimsOwnDefaulted.find((name) => String(options[name]) !== runDefaults[name]);
  const [param] = options.param;
  if (param !== undefined) throw badOption(param.key, param.values, claimsOwnText);
  const name = given ?? changed ?? (options.set.length > 0 ? 'set' : undefined);
  if (name === undefined) return;
  const set = options.set.map(({ target, key, value }) => `${target}.${key}=${value}`).join(' ');
  const got = name === 'set' ? set : String(options[name]);
  throw badOption(optionName(name).slice(2), got, claimsOwnText);
}

/** The cell that measures a figure here. Without one, `notes` gives the reasons. */
interface FigureCell {
  readonly id: string;
  readonly spec: CellSpec | null;
  readonly notes: readonly string[];
}

function figureCells(
  claim: Claim,
  options: RunOptions,
  catalog: Catalog,
  workload: LoadedWorkload,
): readonly FigureCell[] {
  const axes = axisSettings(workload);
  const claimed = { seed: options.seed, param: claimedParameters(claim) };
  const { parameters } = pointAt(workload, claimed, {});
  const targets = claim.figures.map((figure) => ({
    id: figure.id,
    target: figureTarget(figure, claim.workload, catalog.connectors, axes),
  }));
  const connectors = catalog.connectors.filter((connector) =>
    targets.some(({ target }) => target.known && target.end.connector === connector),
  );
  if (connectors.length === 0)
    return targets.map(({ id, target }) => ({ id, spec: null, notes: target.notes }));
  const { url, processes, poolSize } = options;
  const choice = { systems: connectors.map(({ name }) => name), url, set: [], processes, poolSize };
  const means: Means = {
    definitions: chosenTargets(catalog, choice),
    preferred: connectors,
    table: settingsOf(connectors, axes),
    defaults: defaultValues(connectors, { processes, poolSize, depth: 1, sessions: 1 }, axes, parameters),
    pointOf: (settings) => pointOfSettings(workload, claimed, settings),
  };
  return targets.map(({ id, target }): FigureCell => {
    if (!target.known) return { id, spec: null, notes: target.notes };
    const { from } = completeEnds(target.end, target.end, { ...means, nativeDepth: '1' });
    const resolved = resolve(configurationOfEnd(from, means), means);
    return resolved.possible
      ? { id, spec: resolved.spec, notes: target.notes }
      : { id, spec: null, notes: [resolved.reason, ...target.notes] };
  });
}
