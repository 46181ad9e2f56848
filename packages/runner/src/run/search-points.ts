import type { Cell, TrialRecord } from '@fair-bench/results';
import { repeatBudget } from '../measure/measure-again.ts';
import { describeTrial, measureCellAgain, type PlannedTrial } from '../measure/measure-cell.ts';
import type { Rounds } from '../measure/rounds.ts';
import { searchBestPoints, type SearchFindings, searchTrialsMax } from '../search/search-stage.ts';

interface SearchRun extends Omit<Rounds, 'isMeasurable' | 'isSearched'> {
  readonly lacking: (cell: Cell) => string | null;
}

/** If the plan requests a search: finds each system's best point, and returns the plan with these. */
export async function searchPoints(run: SearchRun): Promise<SearchFindings> {
  const { plan, artifacts, lacking, apartMs } = run;
  const resources = { ...run.resources, wire: null };
  if (plan.search === undefined) return { plan, search: [] };
  const { display, signal, earlierSearch: earlier = [] } = resources.context;
  await artifacts.open('search');
  await artifacts.write('search/plan.json', plan);
  const trialsMax = searchTrialsMax(plan);
  const { endsAtMs } = plan.search;
  const untilMs = endsAtMs === undefined ? undefined : endsAtMs + apartMs;
  const mayAgain = repeatBudget(plan, () => trialsMax, untilMs);
  const againMax = plan.disturbedAgainMax;
  const aside = { artifacts, folder: 'search/discarded' } as const;
  const tried = new Map<string, number>();
  let count = 0;
  const measure = async (trialRun: PlannedTrial['run'], cell: Cell): Promise<TrialRecord> => {
    count += 1;
    const round = tried.get(cell.id) ?? 0;
    tried.set(cell.id, round + 1);
    display.trialStarted(`search ${cell.id}`, count, trialsMax);
    const trial = {
      run: trialRun,
      cell,
      round,
      next: cell,
      logPath: artifacts.path(`search/${cell.id}.log`),
    };
    const again = { againMax, voidsMax: 1, mayAgain, aside };
    const record = await measureCellAgain(resources, trial, again);
    await artifacts.write(`search/${cell.id}-${round}.json`, record);
    display.trialEnded(describeTrial(record), record.status === 'ok');
    return record;
  };
  const onFound = (line: string): void => display.message(line);
  const elapsedMs = (): number => performance.now() - apartMs;
  const stage = { plan, lacking, measure, elapsedMs, earlier, onFound, signal };
  const findings = await searchBestPoints(stage, plan.search);
  await artifacts.write('search.json', findings.search);
  await artifacts.write('plan.json', findings.plan);
  return findings;
}
