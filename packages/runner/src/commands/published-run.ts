import {
  type Claim,
  type ClaimDesign,
  type Contrast,
  type RunPlan,
  plannedFigure,
  readingsOf,
} from '@fair-bench/results';
import { printClaims } from '../claims/list-claims.ts';
import { type FigureCell, figureCells } from '../claims/figure-cells.ts';
import { loadClaim } from '../claims/load.ts';
import { discoverFor } from '../discover/workspace.ts';
import { badOption, InputError, typedCommand } from '@fair-bench/contract';
import { assemblePlan, cellId, type CellSpec } from '../plan/assemble-plan.ts';
import { type FittedSize, fitPlan, requestedBudgetMs } from '../plan/fit-plan.ts';
import { leastMs } from '../plan/timing.ts';
import type { PreparedRun, RunCommandInput } from './run-and-report.ts';
import { runId } from './folders.ts';
import { prepareContext } from './prepare-context.ts';
import { unavailableTargets } from '../provision/probe.ts';
import { loadWorkload } from '../discover/workload.ts';
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
    await printClaims(root, typedCommand('bench', ['--mode published']));
    throw new InputError('--mode: got "published" without a claim; add --claim NAME, one of those above');
  }
  refuseOwnOptions(options);
  const claim = await loadClaim(root, options.claim);
  const workload = await loadWorkload(root, claim.workload);
  const catalog = await discoverFor(root, workload);
  const all = figureCells(claim, options, catalog, workload);
  const id = runId(options.mode, new Date());
  const planOf = (figures: readonly FigureCell[], size?: FittedSize): RunPlan =>
    assemblePlan({
      id,
      mode: options.mode,
      command,
      options: { ...options, budget: requestedBudgetMs(options) },
      ...(size === undefined ? {} : { rounds: size.rounds, notes: size.notes }),
      specs: figures.flatMap(({ spec }) => spec ?? []),
      workload,
      requested: contrastsOf(claim, figures),
    });
  const whole = planOf(all);
  const targets = all.flatMap(({ spec }) => spec?.target ?? []);
  const context = await prepareContext({ root, plan: whole, targets, workload, options, dataDirectory });
  const unavailable = await unavailableTargets({ plan: whole, ...context });
  const { figures, size } = withinTime(claim, all, options, unavailable);
  const plan = planOf(figures, size);
  const design: ClaimDesign = {
    claim,
    figures: figures.map(({ spec, notes, ...figure }) => ({
      ...figure,
      cellId: spec === null ? null : cellId(spec),
      notes: [...notes],
    })),
  };
  const question = { claim: design };
  const unmeasured = unmeasuredStatements(design, plan, unavailable);
  // A claim names its author's settings: unavailable ones are listed, without an error.
  return {
    plan,
    context: { ...context, question },
    strict: options.strict,
    verbose: options.verbose,
    required: [],
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
  const lackOf = (id: string, reading: string | null): string | null => {
    const figure = plannedFigure(figures, id, reading);
    const cell = cells.find((one) => one.id === figure?.cellId);
    if (cell === undefined) return figure?.notes[0] ?? `no target here corresponds to ${id}`;
    return unavailable.get(cell.target) ?? null;
  };
  const lacking = claim.statements.flatMap(({ statement, ...ends }) => {
    const readings = readingsOf(claim, ends).map((reading) => {
      const lacks = [lackOf(ends.from, reading), lackOf(ends.to, reading)].filter((lack) => lack !== null);
      return { name: `“${statement}” if ${reading}`, reason: [...new Set(lacks)].join('; ') };
    });
    const reasons = new Set(readings.map(({ reason }) => reason));
    return reasons.size > 1 ? readings : [...reasons].map((reason) => ({ name: `“${statement}”`, reason }));
  });
  if (lacking.every(({ reason }) => reason !== '')) {
    const accepts = 'a claim with a statement whose targets are both available here';
    const reasons = [...new Set(lacking.map(({ reason }) => reason))].join('; ');
    throw badOption('claim', claim.name, `${accepts}; ${reasons}`);
  }
  const byReason = Map.groupBy(
    lacking.filter(({ reason }) => reason !== ''),
    ({ reason }) => reason,
  );
  return [...byReason].map(
    ([reason, same]) => `not measured: ${same.map(({ name }) => name).join(', ')}: ${reason}`,
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

/** The two cells of each statement, in each reading in which both are available. */
function contrastsOf(claim: Claim, figures: readonly FigureCell[]): readonly Contrast[] {
  return claim.statements.flatMap((statement) =>
    readingsOf(claim, statement).flatMap((reading): readonly Contrast[] => {
      const [baseline, contender] = [statement.from, statement.to].flatMap(
        (id) => plannedFigure(figures, id, reading)?.spec ?? [],
      );
      if (baseline === undefined || contender === undefined) return [];
      return [{ baseline: cellId(baseline), contender: cellId(contender) }];
    }),
  );
}

/** The figures of as many statements as the requested time allows. Statements that can be measured here come first. */
function withinTime(
  { statements }: Claim,
  figures: readonly FigureCell[],
  options: RunOptions,
  unavailable: ReadonlyMap<string, string>,
): { readonly figures: readonly FigureCell[]; readonly size: FittedSize } {
  const isHere = ({ spec }: FigureCell): boolean => spec !== null && !unavailable.has(spec.target.target);
  const isMeasurable = ({ from, to }: Claim['statements'][number]): boolean =>
    [from, to].every((id) => figures.some((one) => one.id === id && isHere(one)));
  const inOrder = statements.toSorted((a, b) => Number(isMeasurable(b)) - Number(isMeasurable(a)));
  const neededBy = (count: number): ReadonlySet<string> =>
    new Set(inOrder.slice(0, count).flatMap(({ from, to }) => [from, to]));
  const specsOf = (count: number): readonly CellSpec[] => {
    const needed = neededBy(count);
    return figures.flatMap((one) => (needed.has(one.id) && isHere(one) ? (one.spec ?? []) : []));
  };
  const size = fitPlan(
    options,
    { combinations: statements.length, candidates: 1 },
    ({ rounds, combinations }) => leastMs(specsOf(combinations), rounds, options),
    'statements',
  );
  const needed = neededBy(size.combinations);
  const notes = ['the requested time ends before it; give --budget more'];
  return {
    size,
    figures: figures.map((one) => (needed.has(one.id) ? one : { ...one, spec: null, notes })),
  };
}
