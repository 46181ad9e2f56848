import { type Anomaly, anomalySchema, type Facts, noAnomalies } from '@fair-bench/contract';
import {
  isolationOf,
  type ObservedIsolation,
  type PlannedTarget,
  type SummaryInput,
  type TargetIsolation,
  type TrialRecord,
} from '@fair-bench/results';

type Run = Pick<SummaryInput, 'plan' | 'targets' | 'trials' | 'endedAt'>;

/**
 * What the trials of a workload with versions showed of each target, void ones included: one entry by level. One operation
 * at a time meets no other, and shows nothing.
 */
export function observedInTrials({ plan, trials, endedAt }: Run): readonly ObservedIsolation[] {
  return plan.targets.flatMap((planned) => {
    const cells = plan.cells.filter(
      ({ target, sessions, depth }) => target === planned.target && sessions * depth > 1,
    );
    const own = trials.filter(({ cellId, audit }) => {
      return audit?.isolation !== undefined && cells.some(({ id }) => id === cellId);
    });
    const byLevel = Map.groupBy(own, (trial) => factsOf(trial)?.isolation);
    return [...byLevel.values()].flatMap((some) => {
      const facts = some.flatMap((trial) => factsOf(trial) ?? []).at(-1);
      const measured = cells.filter(({ id }) => some.some(({ cellId }) => cellId === id));
      const [cell] = measured;
      if (facts === undefined || cell === undefined) return [];
      const outstandingMax = Math.max(...measured.map(({ sessions, depth }) => sessions * depth));
      return [
        observed(planned, facts, some, { workload: cell.workload, outstandingMax, observedAt: endedAt }),
      ];
    });
  });
}

/** What is known of the isolation of each target that was ready: by the run's own trials, or by an earlier run's. */
export function isolationOfTargets(run: Run): readonly TargetIsolation[] {
  const own = observedInTrials(run);
  return run.targets.flatMap(({ target, facts, isolation }) => {
    const planned = run.plan.targets.find((each) => each.target === target);
    if (facts === null || planned === undefined) return [];
    const { name: system, version } = facts.system;
    const of = { connector: planned.connector, system, version, level: facts.isolation };
    return [{ target, level: facts.isolation, observed: isolationOf(own, of) ?? isolation ?? null }];
  });
}

function observed(
  { connector }: PlannedTarget,
  { system, isolation: level }: Facts,
  trials: readonly TrialRecord[],
  rest: Pick<ObservedIsolation, 'workload' | 'outstandingMax' | 'observedAt'>,
): ObservedIsolation {
  const findings = trials.flatMap(({ audit }) => audit?.isolation ?? []);
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  const of = (anomaly: Anomaly): number => sum(findings.map(({ anomalies }) => anomalies[anomaly]));
  const anomalies: ObservedIsolation['anomalies'] = { ...noAnomalies };
  for (const anomaly of anomalySchema.options) anomalies[anomaly] = of(anomaly);
  return {
    connector,
    system: system.name,
    version: system.version,
    level,
    trials: trials.length,
    operations: sum(findings.map(({ operations }) => operations)),
    anomalies,
    ...rest,
  };
}

function factsOf(trial: TrialRecord): Facts | null {
  return trial.status === 'ok' ? trial.factsAfter : trial.facts;
}
