import { messageOf } from '@fair-bench/contract';
import {
  type Artifacts,
  type Cell,
  type RunPlan,
  type RunSummary,
  type Search,
  storeIsolation,
  type SummaryInput,
} from '@fair-bench/results';
import { observedInTrials, summarize } from '@fair-bench/analysis';
import { injectFaults } from '../faults/fault-stage.ts';
import { measureRounds } from '../measure/rounds.ts';
import type { RunContext } from '../measure/run-context.ts';
import { lackIn, unavailableCells } from './measurable-cells.ts';
import { provisionRun, startTargets } from './provision-run.ts';
import { searchPoints } from './search-points.ts';
import { openWorkbench, type Workbench } from './workbench.ts';
import { writeReports } from './write-reports.ts';

/**
 * Runs a plan: provision → search, if the plan has one → rounds of (seed → measure → audit) → faults, if it has any → report. In every case
 * nothing is left running when this settles, and the summary has everything measured. An abort of the context's
 * signal ends the run early with `interrupted` in the summary; it does not reject.
 */
export async function runBenchmark(plan: RunPlan, context: RunContext): Promise<RunSummary> {
  const startedAt = new Date().toISOString();
  const { question = {} } = context;
  await using bench = await openWorkbench(plan, context);
  const { artifacts } = bench;
  for (const [name, part] of Object.entries(question)) await artifacts.write(`${name}.json`, part);
  const { measured, ...found } = await measurePlan(plan, bench);
  const endedAt = new Date().toISOString();
  const ended = { startedAt, endedAt, interrupted: context.signal.aborted };
  return await conclude(context, artifacts, { plan: measured, question, ...found, ...ended });
}

/** Only the search of a plan; the artifacts are those of a run that ended with it. */
export async function runSearch(plan: RunPlan, context: RunContext): Promise<readonly Search[]> {
  await using bench = await openWorkbench(plan, context);
  const { artifacts } = bench;
  const { resources, apartMs, states } = await startTargets(plan, bench);
  const lacking = lackIn({ resources, states });
  const { search } = await searchPoints({ plan, artifacts, resources, apartMs, lacking });
  return search;
}

type Found = Omit<SummaryInput, 'plan' | 'question' | 'startedAt' | 'endedAt' | 'interrupted'>;

/** What was found before, between and after the trials, and the plan as it was measured. */
async function measurePlan(plan: RunPlan, bench: Workbench): Promise<Found & { readonly measured: RunPlan }> {
  const { artifacts, context } = bench;
  const provisioned = await provisionRun(plan, bench);
  const { resources, apartMs, known } = provisioned;
  const lacking = lackIn(provisioned);
  const { plan: settled, search } = await searchPoints({ plan, artifacts, resources, apartMs, lacking });
  const unavailable = unavailableCells(settled, provisioned, context.question ?? {});
  await artifacts.write('unavailable-cells.json', unavailable);
  const isMeasurable = (cell: Cell): boolean =>
    lacking(cell) === null && !unavailable.some(({ cellId }) => cellId === cell.id);
  const isSearched = search.length > 0;
  const rounds = { plan: settled, artifacts, resources, apartMs, isMeasurable, isSearched };
  const { plan: measured, trials } = await measureRounds(rounds);
  if (measured !== settled) await artifacts.write('plan.json', measured);
  const faultTrials = await injectFaults({ plan: measured, bench, resources, isMeasurable, trials });
  return { measured, ...known, search, unavailableCells: unavailable, trials, faultTrials };
}

/** The summary, with the outputs made from it. */
async function conclude(
  { directory, root, display }: RunContext,
  artifacts: Artifacts,
  input: SummaryInput,
): Promise<RunSummary> {
  const { startedAt, endedAt, interrupted } = input;
  // What a server at a URL showed says nothing of another one of its version.
  const byUrl = new Set(input.targets.flatMap((one) => (one.facts?.provider === 'url' ? [one.target] : [])));
  const ours = input.plan.targets.filter(({ target }) => !byUrl.has(target));
  const observed = observedInTrials({ ...input, plan: { ...input.plan, targets: ours } });
  if (observed.length > 0) {
    await storeIsolation(root, observed).catch((error: unknown) => display.message(messageOf(error)));
  }
  const summary = summarize(input);
  await artifacts.write('run.json', { startedAt, endedAt, interrupted });
  await writeReports(directory, summary, input.trials).catch((error: unknown) => {
    artifacts.failures.push(`results: ${messageOf(error)}; free disk space and run again`);
  });
  return summary;
}
