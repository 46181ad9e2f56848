import { isPassed, type RunSummary, type TrialRecord } from '@fair-bench/results';
import { logLimitBytesDefault } from '@fair-bench/workload';

/** What the audits of the trials with a number asserted, and how large their logs were. */
export function auditedOf(trials: readonly TrialRecord[]): Pick<RunSummary, 'audit'> {
  const passed = trials.filter(isPassed);
  const asserted = new Map<string, Set<string>>();
  for (const { audit } of passed) {
    for (const { operation, assertions } of audit.asserted ?? []) {
      const known = asserted.get(operation) ?? new Set();
      assertions.forEach((assertion) => known.add(assertion));
      asserted.set(operation, known);
    }
  }
  if (asserted.size === 0) return {};
  const every = passed.map(({ audit }) => audit.readsOfEvery ?? 1);
  return {
    audit: {
      logBytesMax: Math.max(...passed.map(({ result }) => result.log?.bytes ?? 0)),
      logBytesBound: logLimitBytesDefault,
      readsOfEvery: every.includes(0) ? 0 : Math.max(...every),
      asserted: [...asserted].map(([operation, assertions]) => ({ operation, assertions: [...assertions] })),
    },
  };
}
