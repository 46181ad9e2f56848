import {
  type CellSummary,
  type PassedTrial,
  type OutcomeCounts,
  type TrialRecord,
  type Warning,
  meanWithInterval,
  trialFile,
} from '@fair-bench/results';
import { latencySummaryMs, mergeCounts, reportedLatency } from '@fair-bench/load-client';
import { hostOf } from './host.ts';
import { openLoopOf } from './open-loop.ts';
import { overTrials } from './over-trials.ts';

type MeasuredCell = Extract<CellSummary, { status: 'ok' }>;
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
  const peaks = trials.flatMap(({ inFlight }) => inFlight?.peak ?? []);
  return {
    tps: { ...meanWithInterval(tps), trials: tps },
    latencyMs,
    ...openLoopOf(trials),
    counts: countsOf(counts),
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
      ...(trial.setAside === undefined ? {} : { setAside: trial.setAside }),
    })),
  };
}

/** A cell's audits together: the worst status, the fewest accounts that one of them checked, sums of the rest. */
export function auditOf(trials: readonly TrialRecord[]): Audit {
  const findings = trials.flatMap(({ audit }) => audit ?? []);
  return {
    status: auditStatus(trials),
    accountsChecked: findings.length === 0 ? 0 : Math.min(...findings.map((one) => one.accountsChecked)),
    mismatches: sum(findings.map(({ mismatches }) => mismatches)),
    inDoubt: sum(findings.map(({ inDoubt }) => inDoubt)),
  };
}

/** Warnings of several trials that say the same are said once. */
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

/** Null for a part that one of the trials could not read: a partial sum would look like a small one. */
function overParts(
  trials: readonly PassedTrial[],
  partsOf: (trial: PassedTrial) => Parts,
  combine: (values: readonly number[]) => number,
): Parts {
  const all = trials.map(partsOf);
  const combined = (part: 'appServer' | 'database'): number | null => {
    const values = all.flatMap((parts) => parts[part] ?? []);
    return values.length === all.length ? combine(values) : null;
  };
  return {
    client: combine(all.map(({ client }) => client)),
    appServer: combined('appServer'),
    database: combined('database'),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
