import { type Anomaly, anomalySchema, forbiddenAt } from '@fair-bench/contract';
import {
  anomalyInWords,
  levelInWords,
  type ObservedIsolation,
  type RunSummary,
  type TargetIsolation,
} from '@fair-bench/results';
import { absent, formatNumber } from './format.ts';
import { type ColumnOf, left, right, type Section, tableOf } from './section.ts';

/** What each target's isolation showed: by the level in force, anomalies per million operations. */
export function isolationSection({ isolation }: RunSummary): readonly Section[] {
  if (isolation.every(({ observed }) => observed === null)) return [];
  const lines = [
    'Anomalies per million applied operations of a workload that returns versions, by the names of Adya (2000). A trial that shows what the level forbids is void. Real-time: cycles that only the order of real time closes; with nothing else beside it, serializable but not strictly. That an anomaly was not seen does not prove that it cannot happen.',
  ];
  return [{ title: 'Isolation', lines, table: tableOf(columns, isolation) }];
}

/** Of the targets whose isolation this run observed: `postgres-driver: read committed; per million operations 20,132 G2-item`. */
export function isolationFindings({ isolation, run: { endedAt } }: RunSummary): readonly string[] {
  return isolation.flatMap(({ target, level, observed }) => {
    if (observed === null || observed.observedAt !== endedAt) return [];
    return [
      `${target}: ${levelInWords(level)}; per million operations ${perMillion(observed).replaceAll('\n', ', ')}`,
    ];
  });
}

const columns: readonly ColumnOf<TargetIsolation>[] = [
  left('target', ({ target }) => target),
  left('level in force', ({ level }) => levelInWords(level)),
  right('operations', ({ observed }) => observed?.operations.toLocaleString('en-US') ?? absent),
  left('per million operations', ({ observed }) => (observed === null ? absent : perMillion(observed))),
  left('forbidden by the level', ({ level }) => forbiddenAt[level].map(anomalyInWords).join(', ')),
  left('seen', ({ observed }) =>
    observed === null
      ? 'not observed'
      : `${observed.outstandingMax} at a time, ${observed.observedAt.slice(0, 10)}`,
  ),
];

function perMillion({ anomalies, operations }: ObservedIsolation): string {
  const seen = anomalySchema.options.filter((anomaly) => anomalies[anomaly] > 0);
  if (seen.length === 0) return 'no anomaly';
  const rate = (anomaly: Anomaly): string =>
    formatNumber((anomalies[anomaly] / Math.max(1, operations)) * 1e6);
  return seen.map((anomaly) => `${rate(anomaly)} ${anomalyInWords(anomaly)}`).join('\n');
}
