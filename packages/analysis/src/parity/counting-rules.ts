import type { WorkCounters } from '@fair-bench/contract';
import { sum } from '@fair-bench/results';
import { type Assessment, assess, assessShown, valuesBy } from './assessment.ts';
import type { MeasuredTrial, TargetEvidence } from './evidence.ts';
import { rules } from './rules.ts';

/** Who counts, and whether retries are reported: both checked against counters at the other end. */
export function assessCountingRules(evidence: readonly TargetEvidence[]): readonly Assessment[] {
  return [
    assessCounting(evidence),
    assessShown(rules.counting, 'who counts reads at the other end', valuesBy(evidence, countsReads)),
    assessShown(
      rules.counting,
      'reads with what another connection had changed before they were sent',
      valuesBy(evidence, changesRead),
    ),
    assessRetries(evidence),
  ];
}

/** Reads that nobody counts at the other end may come from a cache of the client library. */
function countsReads({ trials }: TargetEvidence): string {
  const counts = (counter: keyof WorkCounters): boolean =>
    trials.some((trial) => increase(trial, counter) !== null);
  if (isWriteOnly(trials)) return 'no operation reads';
  if (counts('scans')) return "the database's lookups";
  if (counts('transactions')) return "the database's transactions";
  return counts('applied') ? 'the application server' : 'not counted';
}

/** A read without the change makes its trial void: only what was seen differs. */
function changesRead({ trials }: TargetEvidence): string {
  if (isWriteOnly(trials)) return 'no operation reads';
  const all = trials.flatMap(({ observed }) => observed.changes ?? []);
  const judged = sum(all.map((one) => one.judged));
  if (judged === 0) return 'not observed';
  return `${sum(all.map(({ fresh }) => fresh))} of ${judged}, of ${sum(all.map(({ rows }) => rows))} rows`;
}

function isWriteOnly(trials: TargetEvidence['trials']): boolean {
  return trials.every(({ result }) => result.operations.every(({ writes }) => writes));
}

function assessCounting(evidence: readonly TargetEvidence[]): Assessment {
  const values = valuesBy(evidence, ({ trials }) => {
    const checked = [
      ...(trials.some((trial) => increase(trial, 'commits') !== null) ? ["the database's commits"] : []),
      ...(trials.some((trial) => increase(trial, 'applied') !== null) ? ["the server's count"] : []),
    ];
    return checked.length === 0 ? 'load client' : `load client, beside ${checked.join(' and ')}`;
  });
  const others = evidence.filter(({ trials }) => trials.some((trial) => !isClientCount(trial)));
  const broken =
    others.length === 0
      ? null
      : `throughput must be the load client's own count; it is not for ${namesOf(others)}`;
  return assess({ rule: rules.counting, subject: 'who counts', kind: 'equal' }, values, broken);
}

function isClientCount({ tps, result }: MeasuredTrial): boolean {
  const counted = (result.window.applied / result.timing.windowMs) * 1000;
  return Math.abs(tps - counted) <= counted * 1e-9;
}

function assessRetries(evidence: readonly TargetEvidence[]): Assessment {
  const values = valuesBy(evidence, ({ trials, readings }) => {
    const reported = sum(trials.map(({ result }) => result.total.retries));
    const retriesMax = readings.at(-1)?.facts.appServer?.retriesMax;
    return `${reported} reported${retriesMax === undefined ? '' : `, at most ${retriesMax} for an operation`}`;
  });
  const others = evidence.filter(({ trials }) => trials.some(hidesRetries));
  const broken =
    others.length === 0
      ? null
      : `retries must be reported with their outcomes: the server made more than were reported for ${namesOf(others)}`;
  return assess({ rule: rules.retries, subject: 'retries reported', kind: 'equal' }, values, broken);
}

/** The server retried more often than the outcomes report. Lost replies could account for more. */
function hidesRetries(trial: MeasuredTrial): boolean {
  const { total, unanswered } = trial.result;
  const made = increase(trial, 'retries');
  return made !== null && unanswered === 0 && total.inDoubt === 0 && made > total.retries;
}

function increase(
  { countersBefore, countersAfter }: MeasuredTrial,
  counter: keyof WorkCounters,
): number | null {
  const before = countersBefore[counter];
  const after = countersAfter[counter];
  return before === undefined || after === undefined ? null : after - before;
}

function namesOf(evidence: readonly TargetEvidence[]): string {
  return evidence.map(({ target }) => target).join(', ');
}
