import {
  type CellSummary,
  type PassedTrial,
  type OutcomeCounts,
  type TrialRecord,
  type Warning,
  quantityWithInterval,
  trialFile,
  type HostSummary,
  type OpenLoopSummary,
  sustainedShareMin,
  type MeanEstimate,
  type MeasuredCell,
  sum,
} from '@fair-bench/results';
import { byRole } from '@fair-bench/contract';
import { latencySummaryMs, mergeCounts, mergeHistograms, reportedLatency } from '@fair-bench/load-client';
import { appliedWrites, sumCounts } from '../audit/evidence.ts';

type Measures = Omit<MeasuredCell, keyof Extract<CellSummary, { status: 'unavailable' }>>;
type Audit = MeasuredCell['audit'];

/** The parts of a target whose effort is counted. */
type Parts = MeasuredCell['cpuUsPerTxn'];

/**
 * The numbers of a cell, over its trials: throughput as a mean with its interval, latency from merged
 * histograms, counts and CPU as sums, memory as the peak. Null when nothing was applied.
 */
export function measuresOf(trials: readonly PassedTrial[]): Measures | null {
  const latencyMs = latencySummaryMs(reportedLatency(trials.map(({ result }) => result)));
  const last = trials.at(-1);
  const counts = mergeCounts(trials.map(({ result }) => result.window));
  if (latencyMs === null || last === undefined || counts.applied === 0) return null;
  const tps = trials.map((trial) => trial.tps);
  const starts = new Set(trials.flatMap(({ deployment }) => deployment ?? []));
  const peaks = trials.flatMap(({ inFlight }) => inFlight?.peak ?? []);
  return {
    deployments: Math.max(1, starts.size),
    tps: { ...quantityWithInterval(tps), trials: tps },
    windowMs: windowsOf(trials),
    latencyMs,
    latencyMsByOutcome: latencyByOutcome(trials),
    ...operationsOf(trials),
    ...openLoopOf(trials),
    ...coldStartOf(trials),
    ...amplificationOf(trials),
    ...worstSecondOf(trials),
    counts: countsOf(counts),
    ...perFlush(trials),
    cpuUsPerTxn: overParts(
      trials,
      ({ cpuUs }) => cpuUs,
      (all) => sum(all) / counts.applied,
    ),
    rssMb: overParts(
      trials,
      ({ rssMb }) => rssMb,
      (all) => Math.max(...all),
    ),
    overTrials: overTrials(trials),
    audit: auditOf(trials),
    ...hostOf(trials),
    inFlight: peaks.length === 0 ? null : { peak: Math.max(...peaks) },
    facts: last.factsAfter,
    warnings: onceEach(trials.flatMap(({ warnings }) => warnings)),
    trials: trials.map((trial) => ({
      round: trial.round,
      status: trial.status,
      tps: trial.tps,
      file: trialFile(trial),
      ...(trial.discardedTrials === undefined ? {} : { discardedTrials: trial.discardedTrials }),
    })),
  };
}

/**
 * A cell's audits together: the worst status, the smallest number of accounts that one of them checked, sums of the
 * rest.
 */
export function auditOf(trials: readonly TrialRecord[]): Audit {
  const findings = trials.flatMap(({ audit }) => audit ?? []);
  return {
    status: auditStatus(trials),
    rowsChecked: findings.length === 0 ? 0 : Math.min(...findings.map((one) => one.rowsChecked)),
    mismatches: sum(findings.map(({ mismatches }) => mismatches)),
    inDoubt: sum(findings.map(({ inDoubt }) => inDoubt)),
  };
}

/** Warnings of several trials with the same content appear once. */
export function onceEach(warnings: readonly Warning[]): Warning[] {
  return [...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values()];
}

function auditStatus(trials: readonly TrialRecord[]): Audit['status'] {
  const statuses = trials.map(({ audit }) => audit?.status);
  if (statuses.includes('failed')) return 'failed';
  return statuses.length === 0 || statuses.includes(undefined) ? 'not-run' : 'passed';
}

function countsOf({ applied, declined, faults, retries }: OutcomeCounts): MeasuredCell['counts'] {
  return {
    applied,
    declined: sum(Object.values(declined)),
    faults: sum(Object.values(faults)),
    retries,
    declinedBy: declined,
    faultsBy: faults,
  };
}

function latencyByOutcome(trials: readonly PassedTrial[]): MeasuredCell['latencyMsByOutcome'] {
  const one = (kind: 'applied' | 'declined' | 'faults') =>
    latencySummaryMs(mergeHistograms(trials.map(({ result }) => result.latency[kind])));
  return { applied: one('applied'), declined: one('declined'), faults: one('faults') };
}

/** Operations that write, of whole trials; nothing where one of them saw no flush counter. */
function perFlush(trials: readonly PassedTrial[]): Pick<MeasuredCell, 'operationsPerFlush'> {
  const flushes = trials.flatMap((trial) => trial.flushes ?? []);
  const operationsPerFlush = sum(trials.map(({ result }) => appliedWrites(result, 'total'))) / sum(flushes);
  const isKnown = flushes.length === trials.length && operationsPerFlush > 0;
  return isKnown && Number.isFinite(operationsPerFlush) ? { operationsPerFlush } : {};
}

function windowsOf(trials: readonly PassedTrial[]): [number, number] {
  const all = trials.map(({ result }) => result.timing.windowMs);
  return [Math.min(...all), Math.max(...all)];
}

/** Null for a part that one of the trials could not read: a partial sum would look like a small one. */
function overParts(
  trials: readonly PassedTrial[],
  partsOf: (trial: PassedTrial) => Parts,
  combine: (values: readonly number[]) => number,
): Parts {
  const all = trials.map(partsOf);
  return {
    client: combine(all.map(({ client }) => client)),
    ...byRole((role) => {
      const values = all.flatMap((parts) => parts[role] ?? []);
      return values.length === all.length ? combine(values) : null;
    }),
  };
}

/** The machine over the windows of a cell's trials; nothing where one of them was not observed. */
function hostOf(trials: readonly PassedTrial[]): { readonly host?: HostSummary } {
  const all = trials.flatMap(({ host }) => host ?? []);
  if (all.length === 0 || all.length < trials.length) return {};
  const meanOf = (values: readonly number[]): number => sum(values) / values.length;
  const whole = (values: readonly (number | null)[]): readonly number[] | null => {
    const known = values.filter((value) => value !== null);
    return known.length === all.length ? known : null;
  };
  const waiting = whole(all.map(({ waitingShare }) => waitingShare));
  const foreign = whole(all.map(({ foreignShare }) => foreignShare));
  return {
    host: {
      busyShareMean: meanOf(all.map(({ busyShare }) => busyShare)),
      stealShareMax: Math.max(...all.map(({ stealShare }) => stealShare)),
      waitingShareMean: waiting === null ? null : meanOf(waiting),
      foreignShareMax: foreign === null ? null : Math.max(...foreign),
    },
  };
}

/** What the trials of an open loop were offered and did; nothing for a closed one. */
function openLoopOf(trials: readonly PassedTrial[]): { readonly openLoop?: OpenLoopSummary } {
  const all = trials.flatMap(({ result: { openLoop, window, timing } }) => {
    if (openLoop === null) return [];
    const { due, started } = openLoop;
    return [
      { due, started, achieved: window.applied + sumCounts(window.declined), windowMs: timing.windowMs },
    ];
  });
  if (all.length === 0) return {};
  const seconds = sum(all.map(({ windowMs }) => windowMs)) / 1000;
  const perSecond = (part: 'due' | 'started' | 'achieved'): number =>
    sum(all.map((trial) => trial[part])) / seconds;
  return {
    openLoop: {
      offeredPerSecond: perSecond('due'),
      startedPerSecond: perSecond('started'),
      achievedPerSecond: perSecond('achieved'),
      held: all.every(({ due, achieved }) => achieved >= sustainedShareMin * due),
    },
  };
}

/** What beginning cold cost; nothing for warm trials. */
function coldStartOf(trials: readonly PassedTrial[]): Pick<MeasuredCell, 'coldStart'> {
  const all = trials.flatMap(({ cold }) => cold ?? []);
  if (all.length === 0) return {};
  const estimate = (values: readonly (number | null)[]): MeanEstimate | null => {
    const known = values.filter((value) => value !== null);
    return known.length === trials.length ? quantityWithInterval(known) : null;
  };
  const tps = estimate(all.map(({ firstSecond }) => firstSecond?.applied ?? null));
  const latencyMsMean = estimate(all.map(({ firstSecond }) => firstSecond?.latencyMsMean ?? null));
  return {
    coldStart: {
      openMs: estimate(all.map(({ openMs }) => openMs)),
      firstSecond: tps === null ? null : { tps, latencyMsMean },
    },
  };
}

/** Each operation by itself; nothing where a trial does not have them. */
function operationsOf(trials: readonly PassedTrial[]): Pick<MeasuredCell, 'operations'> {
  const each = trials.map(({ audit, result }) => {
    return { operations: audit.operations ?? [], minutes: result.timing.windowMs / 60_000 };
  });
  const [first] = each;
  if (first === undefined || each.some(({ operations }) => operations.length === 0)) return {};
  const all = sum(each.flatMap(({ operations }) => operations.map(endedOf)));
  const operations = first.operations.map(({ operation, as, p90MsMax }, place) => {
    const own = each.flatMap(({ operations: those, minutes }) => {
      const found = those[place];
      return found === undefined ? [] : [{ ...found, minutes }];
    });
    const latencies = own.flatMap(({ latencyMs }) => latencyMs ?? []);
    const mean = (of: (latency: (typeof latencies)[number]) => number): number =>
      sum(latencies.map(of)) / latencies.length;
    const latencyMs = {
      p50: mean(({ p50 }) => p50),
      p90: mean(({ p90 }) => p90),
      p99: mean(({ p99 }) => p99),
    };
    return {
      operation,
      ...(as === undefined ? {} : { as }),
      ...(p90MsMax === undefined ? {} : { p90MsMax }),
      perMinute: quantityWithInterval(own.map(({ applied, minutes }) => applied / minutes)),
      share: sum(own.map(endedOf)) / Math.max(1, all),
      declined: sum(own.map(({ declined }) => declined)),
      faults: sum(own.map(({ faults }) => faults)),
      latencyMs: latencies.length === 0 ? null : latencyMs,
    };
  });
  return { operations };
}

function endedOf({
  applied,
  declined,
  faults,
}: {
  readonly applied: number;
  readonly declined: number;
  readonly faults: number;
}): number {
  return applied + declined + faults;
}

/** How much more an engine writes and keeps than it is given; nothing for a server. */
function amplificationOf(trials: readonly PassedTrial[]): Pick<MeasuredCell, 'amplification'> {
  const all = trials.flatMap(({ engineFiles }) => engineFiles ?? []);
  if (all.length === 0 || all.length < trials.length) return {};
  const estimate = (ratios: readonly (number | null)[]): MeanEstimate | null => {
    const known = ratios.filter((ratio) => ratio !== null);
    return known.length === all.length ? quantityWithInterval(known) : null;
  };
  return {
    amplification: {
      write: estimate(
        all.map(({ windowWrittenBytes, windowDataBytes }) => ratioOf(windowWrittenBytes, windowDataBytes)),
      ),
      space: estimate(all.map(({ filesBytes, dataBytes }) => ratioOf(filesBytes, dataBytes))),
      spaceCompacted: estimate(
        all.map(({ compaction, dataBytes }) =>
          compaction.status === 'done' ? ratioOf(compaction.filesBytes, dataBytes) : null,
        ),
      ),
    },
  };
}

/** Null where one is not known, or there is no data. */
function ratioOf(bytes: number | null, dataBytes: number | null): number | null {
  return bytes === null || dataBytes === null || dataBytes === 0 ? null : bytes / dataBytes;
}

/** Of shorter windows the worst second is a matter of chance. */
const secondsMin = 10;
const slotsPerSecond = 10;

/** The second of all windows in which least was applied; nothing for short windows. */
function worstSecondOf(trials: readonly PassedTrial[]): Pick<MeasuredCell, 'worstSecondTps'> {
  const seconds = trials.map(({ result: { appliedSlots } }) =>
    Array.from({ length: Math.floor(appliedSlots.length / slotsPerSecond) }, (_, second) =>
      sum(appliedSlots.slice(second * slotsPerSecond, (second + 1) * slotsPerSecond)),
    ),
  );
  if (seconds.some(({ length }) => length < secondsMin)) return {};
  return { worstSecondTps: Math.min(...seconds.flat()) };
}

type OverTrials = NonNullable<MeasuredCell['overTrials']>;

/** Latency, CPU time and memory of each trial by itself, as means with intervals. */
function overTrials(trials: readonly PassedTrial[]): OverTrials {
  // A trial that applied nothing has no latency, and no CPU time for an operation.
  const applied = trials.filter(({ result }) => result.window.applied > 0);
  const latencies = applied.flatMap(({ result }) => latencySummaryMs(reportedLatency([result])) ?? []);
  return {
    latencyMs: {
      p50: quantityWithInterval(latencies.map(({ p50 }) => p50)),
      p99: quantityWithInterval(latencies.map(({ p99 }) => p99)),
    },
    cpuUsPerTxn: byPart(applied, ({ cpuUs, result }, part) =>
      perOperation(cpuUs[part], result.window.applied),
    ),
    rssMb: byPart(trials, ({ rssMb }, part) => rssMb[part]),
  };
}

function perOperation(us: number | null, applied: number): number | null {
  return us === null ? null : us / applied;
}

/** Null for a part that one of the trials could not read. */
function byPart(
  trials: readonly PassedTrial[],
  valueOf: (trial: PassedTrial, part: keyof Parts) => number | null,
): OverTrials['cpuUsPerTxn'] {
  const estimate = (part: keyof Parts): MeanEstimate | null => {
    const values = trials.flatMap((trial) => valueOf(trial, part) ?? []);
    return values.length === trials.length ? quantityWithInterval(values) : null;
  };
  return {
    client: estimate('client') ?? { mean: 0, ci95: null },
    ...byRole(estimate),
  };
}
