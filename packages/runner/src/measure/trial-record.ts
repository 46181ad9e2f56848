import { flushesOf, type Judgement, type TrialEvidence } from '@fair-bench/analysis';
import { byRole } from '@fair-bench/contract';
import type { PassedTrial, TrialRecord } from '@fair-bench/results';
import type { Probed } from '../probes/trial-probe.ts';
import type { Collected } from './evidence-collector.ts';

export const interruptedReason = 'the run was interrupted during this trial';

/** What a record has besides the evidence. */
type Found = Pick<Collected, 'usage'> & Pick<PassedTrial, 'streamSeed'> & Required<Probed>;

/** The record of a trial that ended: passed, void by its judgements, or interrupted. */
export function toRecord(
  identity: Pick<TrialRecord, 'cellId' | 'round' | 'host' | 'deployment'>,
  evidence: TrialEvidence,
  found: Found,
  judgements: readonly Judgement[],
): TrialRecord {
  const { usage, parts, streamSeed } = found;
  const { result } = evidence;
  const flushes = flushesOf(evidence);
  const judgedSo = judgements
    .filter(({ severity }) => severity === 'warning')
    .map(({ code, message, remedy }) => ({ code, message, remedy }));
  const warnings = [...judgedSo, ...found.warnings];
  const voids = judgements.filter(({ severity }) => severity === 'void');
  const judged = { ...identity, audit: evidence.state, facts: evidence.factsAfter, warnings };
  // A shortened window has no number, whatever its checks say.
  if (result.ending === 'stopped') return { status: 'interrupted', reason: interruptedReason, ...judged };
  if (voids.length > 0) {
    const reason = voids.map(({ message }) => message).join('; ');
    return { status: 'void', reason, ...judged, voidBy: voids.map(({ code }) => code) };
  }
  return {
    status: 'ok',
    ...identity,
    streamSeed,
    result,
    ...parts,
    tps: (result.window.applied / result.timing.windowMs) * 1000,
    cpuUs: {
      client: result.effort.cpuUserUs + result.effort.cpuSystemUs,
      ...byRole((role) => usage[role].cpuUs),
    },
    rssMb: {
      client: result.effort.rssBytesMax / 2 ** 20,
      ...byRole((role) => usage[role].rssMb),
    },
    audit: evidence.state,
    factsBefore: evidence.factsBefore,
    factsAfter: evidence.factsAfter,
    countersBefore: evidence.countersBefore,
    countersAfter: evidence.countersAfter,
    ...(flushes === null ? {} : { flushes }),
    inFlight: evidence.inFlight,
    observed: evidence.observed,
    warnings,
  };
}
