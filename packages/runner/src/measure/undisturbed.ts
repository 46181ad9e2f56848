import {
  type Artifacts,
  type SetAside,
  type TrialRecord,
  again,
  disturbanceOf,
  isPassed,
} from '@fair-bench/results';

export interface UndisturbedTrial {
  readonly measure: () => Promise<TrialRecord>;
  /** The most repetitions. */
  readonly againMax: number;
  /** Called before each repetition, with the duration of the trial. */
  readonly mayAgain: (tookMs: number) => boolean;
  readonly artifacts: Pick<Artifacts, 'open' | 'write'>;
  readonly onAgain: (line: string) => void;
}

/**
 * Measures a trial, and repeats it while steal or foreign processes exceed the limit. The repetition that counts is
 * chosen by the disturbance of the host, never by the result: the first one within the limits, otherwise the least
 * disturbed. A void is never replaced: the first trial that fails its audit is the record. The others are kept in
 * files of their own.
 */
export async function measureUndisturbed(trial: UndisturbedTrial): Promise<TrialRecord> {
  const disturbed: TrialRecord[] = [];
  const startMs = performance.now();
  let record = await trial.measure();
  const tookMs = performance.now() - startMs;
  while (isDisturbed(record) && disturbed.length < trial.againMax && trial.mayAgain(tookMs)) {
    disturbed.push(record);
    trial.onAgain(`measured again: ${describe(record)}`);
    record = await trial.measure();
  }
  if (disturbed.length === 0) return record;
  const all = [...disturbed, record];
  const counted = isDisturbed(record)
    ? all.reduce((a, b) => (disturbance(b) < disturbance(a) ? b : a))
    : record;
  const setAside = await putAside(
    all.filter((one) => one !== counted),
    trial.artifacts,
  );
  return { ...counted, setAside };
}

/**
 * Allows at most one trial in four, at least two per run, and only if it ends in time.
 * @param endsAtMs on the clock of `performance.now`.
 */
export function againGate(trials: number, endsAtMs = Number.POSITIVE_INFINITY): (tookMs: number) => boolean {
  let left = Math.max(again.leastOfRun, Math.floor(trials / again.trialsForEach));
  return (tookMs) => {
    if (left === 0 || performance.now() + tookMs > endsAtMs) return false;
    left -= 1;
    return true;
  };
}

/** Rules that a stalled machine can break. */
const ofTheMachine = ['window-clock', 'agent-windows', 'littles-law', 'reply-bursts', 'no-applied-work'];

/**
 * Whether the machine alone can have voided a trial: it never reached its audit, or broke only rules that a stall
 * breaks. Anything else is a finding about the system and is never measured again, otherwise an occasional liar would
 * escape.
 */
export function mayBeTheMachines(record: TrialRecord): boolean {
  if (record.status !== 'void') return false;
  return record.voidBy === undefined || record.voidBy.every((code) => ofTheMachine.includes(code));
}

function isDisturbed(record: TrialRecord): boolean {
  return isPassed(record) && disturbance(record) > 1;
}

/** Of the machine that was disturbed most: the runner's, or a load agent's. */
function disturbance(record: TrialRecord): number {
  const agents = isPassed(record) ? (record.result.agents ?? []) : [];
  return [record, ...agents].reduce(
    (most, { host }) => (host === undefined ? most : Math.max(most, disturbanceOf(host))),
    0,
  );
}

function describe({ warnings }: TrialRecord): string {
  return warnings
    .flatMap(({ code, message }) => (code === 'host-stolen' || code === 'host-foreign' ? [message] : []))
    .join('; ');
}

async function putAside(
  records: readonly TrialRecord[],
  artifacts: UndisturbedTrial['artifacts'],
): Promise<SetAside[]> {
  await artifacts.open('set-aside');
  const kept = records.map(async (record, index) => {
    const file = `set-aside/${record.cellId}-r${record.round}-${index + 1}.json`;
    await artifacts.write(file, record);
    return record.host === undefined ? [] : [{ file, host: record.host }];
  });
  return (await Promise.all(kept)).flat();
}
