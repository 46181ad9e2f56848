import { mayBeTheMachines, notAudited } from '@fair-bench/analysis';
import {
  type Artifacts,
  type DiscardedTrial,
  type RunPlan,
  type TrialRecord,
  again,
  disturbanceOf,
  isPassed,
} from '@fair-bench/results';

export interface RepeatableTrial {
  readonly measure: () => Promise<TrialRecord>;
  /** The most repetitions. */
  readonly againMax: number;
  /** The most voids among them that a later trial may replace. */
  readonly voidsMax: number;
  /**
   * Called before each repetition of a disturbed trial, with its duration; by default there is always time. A void is repeated
   * without it: it would cost its cell every round so far, and `voidsMax` bounds it.
   */
  readonly mayAgain?: (tookMs: number) => boolean;
  /** Whether the target is still alive: its death is a finding, not the machine's. Alive by default. */
  readonly answers?: () => Promise<boolean>;
  /** Where the trials go that do not count. Null discards them, and repeats only voids. */
  readonly aside: Aside | null;
  readonly onAgain?: (line: string) => void;
}

interface Aside {
  readonly artifacts: Pick<Artifacts, 'open' | 'write'>;
  readonly folder: 'discarded' | 'search/discarded';
}

/**
 * Measures a trial, and repeats it while steal or foreign processes exceed the limit, or the machine alone may have
 * voided it. What counts never depends on a result: the last trial if it is void; the first one within the limits;
 * otherwise the least disturbed one. The others are kept in files of their own.
 */
export async function measureAgain(trial: RepeatableTrial): Promise<TrialRecord> {
  const { aside, onAgain } = trial;
  const earlier: TrialRecord[] = [];
  const startMs = performance.now();
  let record = await trial.measure();
  const tookMs = performance.now() - startMs;
  while (await isDue(record, earlier, trial, tookMs)) {
    earlier.push(record);
    onAgain?.(`measured again: ${describe(record)}`);
    record = await trial.measure();
  }
  if (earlier.length === 0 || aside === null) return record;
  const all = [...earlier, record];
  const counted = isDisturbed(record) ? leastDisturbed(all) : record;
  const discardedTrials = await discard(
    all.filter((one) => one !== counted),
    aside,
  );
  return { ...counted, discardedTrials };
}

/**
 * Allows at most one trial in four, at least two per run, and only if it ends in time. On a host that is shared on purpose
 * none: the run beside this one would disturb the repetition too.
 * @param trials of the run so far, or planned if that is more: a budget may add many to the planned ones.
 * @param endsAtMs on the clock of `performance.now`.
 * @param firstsLeft cells without a trial yet: a repetition comes after them, so they must end in time as well.
 */
export function repeatBudget(
  { sharedHost }: Pick<RunPlan, 'sharedHost'>,
  trials: () => number,
  endsAtMs = Number.POSITIVE_INFINITY,
  firstsLeft: () => number = () => 0,
): (tookMs: number) => boolean {
  let used = 0;
  return (tookMs) => {
    const most = Math.max(again.leastOfRun, Math.floor(trials() / again.trialsForEach));
    const endMs = performance.now() + tookMs * (1 + firstsLeft());
    if (sharedHost !== undefined || used >= most || endMs > endsAtMs) return false;
    used += 1;
    return true;
  };
}

async function isDue(
  record: TrialRecord,
  earlier: readonly TrialRecord[],
  trial: RepeatableTrial,
  tookMs: number,
): Promise<boolean> {
  if (earlier.length >= trial.againMax) return false;
  if (await isReplaceable(record, earlier, trial)) return true;
  return trial.aside !== null && isDisturbed(record) && trial.mayAgain?.(tookMs) !== false;
}

async function isReplaceable(
  record: TrialRecord,
  earlier: readonly TrialRecord[],
  { voidsMax, answers }: Pick<RepeatableTrial, 'voidsMax' | 'answers'>,
): Promise<boolean> {
  if (record.status !== 'void' || !mayBeTheMachines(record)) return false;
  if (earlier.filter(({ status }) => status === 'void').length >= voidsMax) return false;
  return record.voidBy !== undefined || (await answers?.()) !== false;
}

function isDisturbed(record: TrialRecord): boolean {
  return isPassed(record) && disturbance(record) > 1;
}

function leastDisturbed(records: readonly TrialRecord[]): TrialRecord {
  return records.filter(isPassed).reduce((a, b) => (disturbance(b) < disturbance(a) ? b : a));
}

/** Of the machine that was disturbed most: the runner's, or a load agent's. */
function disturbance(record: TrialRecord): number {
  const agents = isPassed(record) ? (record.result.agents ?? []) : [];
  return [record, ...agents].reduce(
    (most, { host }) => (host === undefined ? most : Math.max(most, disturbanceOf(host))),
    0,
  );
}

function describe(record: TrialRecord): string {
  if (record.status !== 'ok') return `void: ${record.reason}`;
  return record.warnings
    .flatMap(({ code, message }) => (code === 'host-stolen' || code === 'host-foreign' ? [message] : []))
    .join('; ');
}

async function discard(
  records: readonly TrialRecord[],
  { artifacts, folder }: Aside,
): Promise<DiscardedTrial[]> {
  await artifacts.open(folder);
  const kept = records.map(async (record, index): Promise<DiscardedTrial[]> => {
    const file = `${folder}/${record.cellId}-r${record.round}-${index + 1}.json`;
    await artifacts.write(file, record);
    if (record.status === 'void')
      return [{ file, voidBy: record.voidBy ?? [notAudited], reason: record.reason }];
    return record.host === undefined ? [] : [{ file, host: record.host }];
  });
  return (await Promise.all(kept)).flat();
}
