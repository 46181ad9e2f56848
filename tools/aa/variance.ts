import { overRoles } from '@fair-bench/contract';
import { meanOf, type PassedTrial, type RunPlan } from '@fair-bench/results';

/** The variance components of a trial's logarithm of throughput. */
export interface Components {
  /** The effect of a round on all trials of a block: pairing removes it. */
  readonly round: number;
  /** The constant deviation of one copy of the target. */
  readonly copy: number;
  /** From one trial to the next, except what its window's length explains. */
  readonly trial: number;
  /** The chance of a window of this length, estimated from the difference of its two halves. */
  readonly window: number;
  /** Trials that they rest on. */
  readonly trials: number;
}

/** A covariate, and the share of the remaining deviation that it explains. */
interface Covariate {
  readonly name: string;
  /** Squared correlation with the trial's deviation, without round and copy; otherwise the reason why there is none. */
  readonly share: number | string;
}

/** Trials of one combination, as a table: every copy in every round. */
type Block = readonly (readonly PassedTrial[])[];

/** The combinations of a run, each with the rounds that all of its copies have: rounds of copies in the plan's order. */
export function blocksOf(plan: RunPlan, trials: readonly PassedTrial[]): readonly Block[] {
  const byCell = Map.groupBy(trials, ({ cellId }) => cellId);
  return (plan.blocks ?? []).map((ids) => {
    const copies = ids.map((id) => new Map((byCell.get(id) ?? []).map((trial) => [trial.round, trial])));
    const rounds = [...(copies[0]?.keys() ?? [])].toSorted((a, b) => a - b);
    return rounds.flatMap((round) => {
      const row = copies.flatMap((copy) => copy.get(round) ?? []);
      return row.length === ids.length ? [row] : [];
    });
  });
}

/**
 * Variance components of round × copy from their mean squares, pooled over the blocks by degrees of freedom (Searle,
 * Casella & McCulloch, "Variance Components", 1992); a negative component becomes 0.
 */
export function componentsOf(blocks: readonly Block[]): Components {
  const tables = blocks.filter((rounds) => rounds.length > 1 && (rounds[0]?.length ?? 0) > 1);
  let [round, copy, residual] = [0, 0, 0];
  let [roundDegrees, copyDegrees, residualDegrees] = [0, 0, 0];
  for (const rounds of tables) {
    const logs = rounds.map((row) => row.map(({ tps }) => Math.log(tps)));
    const [rows, columns] = [logs.length, logs[0]?.length ?? 0];
    const left = centred(logs);
    const squares = sumOf(left.flat(), (value) => value ** 2);
    const degrees = (rows - 1) * (columns - 1);
    const rest = squares / degrees;
    round += (rows - 1) * (varianceOf(logs.map(meanOf)) - rest / columns);
    copy += (columns - 1) * (varianceOf(transposed(logs).map(meanOf)) - rest / rows);
    residual += squares;
    roundDegrees += rows - 1;
    copyDegrees += columns - 1;
    residualDegrees += degrees;
  }
  const trials = tables.flat(2);
  const window = meanOf(trials.flatMap((trial) => withinOf(trial) ?? []));
  return {
    round: Math.max(0, round / roundDegrees),
    copy: Math.max(0, copy / copyDegrees),
    trial: Math.max(0, residual / residualDegrees - window),
    window,
    trials: trials.length,
  };
}

/** The expected deviation of a trial with another window, without the effect of the round. */
export function deviationAt({ trial, window }: Components, windowMs: number, otherMs: number): number {
  return Math.sqrt(trial + (window * windowMs) / otherMs);
}

/** How much faster the first trial of a block is than the others, on the logarithm, one value for each block and round. */
export function firstInBlock(plan: RunPlan, blocks: readonly Block[]): readonly number[] {
  return blocks.flat().map((row) => {
    const order = plan.rounds[row[0]?.round ?? 0] ?? [];
    const inOrder = row.toSorted((a, b) => order.indexOf(a.cellId) - order.indexOf(b.cellId));
    const [first = 0, ...others] = inOrder.map(({ tps }) => Math.log(tps));
    return first - meanOf(others);
  });
}

/**
 * How much faster the first trial on a start of its target is than the target's others on it, on the logarithm and
 * without the means of the cells; one value for each start of several trials. Below 0, the longer warm-up of a first
 * trial is still too short.
 */
export function firstOnStart(
  { cells }: Pick<RunPlan, 'cells'>,
  trials: readonly PassedTrial[],
): readonly number[] {
  const targets = new Map(cells.map(({ id, target }) => [id, target]));
  const logs = Map.groupBy(trials, ({ cellId }) => cellId);
  const means = new Map([...logs].map(([id, same]) => [id, meanOf(same.map(({ tps }) => Math.log(tps)))]));
  const starts = Map.groupBy(trials, ({ cellId, deployment }) => `${targets.get(cellId)} ${deployment}`);
  return [...starts.values()].flatMap((same) => {
    const inTime = same.toSorted(
      (a, b) => Date.parse(a.result.timing.startedAt) - Date.parse(b.result.timing.startedAt),
    );
    const [first, ...others] = inTime.map(({ cellId, tps }) => Math.log(tps) - (means.get(cellId) ?? 0));
    return first === undefined || others.length === 0 ? [] : [first - meanOf(others)];
  });
}

const measures: readonly {
  readonly name: string;
  readonly of: (trial: PassedTrial) => number | null | undefined;
  /** Why it may not be observed. */
  readonly unseen?: string;
}[] = [
  { name: 'steal', of: ({ host }) => host?.stealShare },
  { name: 'processes that are not of the run', of: ({ host }) => host?.foreignShare },
  { name: 'time in which a task waited for a processor', of: ({ host }) => host?.waitingShare },
  { name: 'processors in use', of: ({ host }) => host?.busyShare },
  { name: 'CPU of the server per operation', of: serverCpu },
  {
    name: 'CPU of the load client per operation',
    of: ({ cpuUs, result }) => perOperation(cpuUs.client, result),
  },
  {
    name: 'garbage collection of the load client',
    of: ({ result }) => result.effort.gcMs,
    unseen: 'only the Node client with one thread says it',
  },
  {
    name: 'checkpoints',
    of: ({ countersBefore, countersAfter }) => since(countersBefore.checkpoints, countersAfter.checkpoints),
    unseen: 'the database does not count them',
  },
  {
    name: "processors' frequency",
    of: ({ host }) => host?.frequencyMhz,
    unseen: 'the kernel has no cpufreq here',
  },
  { name: 'flushes per operation', of: flushes, unseen: 'the database does not count them' },
  { name: 'drift within the window', of: ({ result }) => result.steadyState.windowDrift },
  { name: 'length of the warm-up', of: ({ result }) => result.timing.warmupMs },
];

/** The share of each covariate in the trials' remaining deviation, after round and copy are removed. */
export function covariatesOf(blocks: readonly Block[]): readonly Covariate[] {
  return measures.map(({ name, of, unseen = 'the system does not say it' }) => {
    let [both, own, other] = [0, 0, 0];
    if (blocks.flat(2).every((trial) => Number.isNaN(of(trial) ?? Number.NaN)))
      return { name, share: `not observed: ${unseen}` };
    for (const rounds of blocks) {
      const values = rounds.map((row) => row.map((trial) => of(trial) ?? Number.NaN));
      if (values.flat().some(Number.isNaN)) continue;
      const x = centred(values).flat();
      const y = centred(rounds.map((row) => row.map(({ tps }) => Math.log(tps)))).flat();
      both += sumOf(x, (value, place) => value * (y[place] ?? 0));
      own += sumOf(x, (value) => value ** 2);
      other += sumOf(y, (value) => value ** 2);
    }
    return { name, share: own === 0 || other === 0 ? 'never changes' : both ** 2 / (own * other) };
  });
}

/** The variance of a window's mean, from the difference of its halves; null for less than two slots. */
function withinOf({ result: { appliedSlots } }: PassedTrial): number | null {
  const half = Math.floor(appliedSlots.length / 2);
  const [first, second] = [appliedSlots.slice(0, half), appliedSlots.slice(-half)];
  const mean = meanOf([...first, ...second]);
  return half === 0 || mean === 0 ? null : ((meanOf(first) - meanOf(second)) / mean) ** 2 / 4;
}

function serverCpu({ cpuUs, result }: PassedTrial): number | null {
  return perOperation(overRoles(cpuUs), result);
}

function flushes({ countersBefore, countersAfter, result }: PassedTrial): number | null {
  const all = since(countersBefore.flushes, countersAfter.flushes);
  return all === null ? null : all / result.total.applied;
}

function since(before: number | undefined, after: number | undefined): number | null {
  return before === undefined || after === undefined ? null : after - before;
}

function perOperation(cpuUs: number | null, { window }: PassedTrial['result']): number | null {
  return cpuUs === null ? null : cpuUs / window.applied;
}

/** Without the means of rows and columns. */
function centred(table: readonly (readonly number[])[]): number[][] {
  const all = meanOf(table.flat());
  const columns = transposed(table).map(meanOf);
  return table.map((row) => {
    const own = meanOf(row);
    return row.map((value, place) => value - own - (columns[place] ?? 0) + all);
  });
}

function transposed(table: readonly (readonly number[])[]): number[][] {
  return (table[0] ?? []).map((_, place) => table.map((row) => row[place] ?? 0));
}

function varianceOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return sumOf(values, (value) => (value - mean) ** 2) / (values.length - 1);
}

function sumOf<T>(all: readonly T[], value: (item: T, place: number) => number): number {
  return all.reduce((sum, item, place) => sum + value(item, place), 0);
}
