import { type Assessment, assess, inWords, valuesBy } from './assessment.ts';
import type { MeasuredTrial, TargetEvidence } from './evidence.ts';
import { rules } from './rules.ts';

const mib = 2 ** 20;
/** What an observer has mapped stays in the page cache: of a file of this size, or of less than a MiB, it is little. */
const residentShareMax = 0.1;

/**
 * Trials begin cold where that was requested, and of every engine as many kinds of trials were requested. No line where all are
 * warm.
 */
export function assessCold(evidence: readonly TargetEvidence[]): readonly Assessment[] {
  if (!evidence.some(({ cells }) => cells.some(({ cold }) => cold === true))) return [];
  const values = valuesBy(evidence, ({ trials }) => [...new Set(trials.map(stateOf))].join(' and '));
  const requested = evidence.map(({ cells }) =>
    [...new Set(cells.map(({ cold }) => cold === true))].join(' '),
  );
  const isMet = evidence.every(({ trials, cells }) => {
    const isCold = new Map(cells.map(({ id, cold }) => [id, cold === true]));
    return trials.every((trial) => stateOf(trial) === (isCold.get(trial.cellId) === true ? 'cold' : 'warm'));
  });
  const broken =
    isMet && new Set(requested).size <= 1
      ? null
      : `every engine must begin its trials cold, or every one warm: ${inWords(values)}`;
  return [assess({ rule: rules.cold, subject: 'page cache at the start', kind: 'equal' }, values, broken)];
}

function stateOf({ cold }: MeasuredTrial): string {
  if (cold === undefined) return 'warm';
  const { filesBytes, residentBytes } = cold;
  if (residentBytes === null || residentBytes <= Math.max(mib, residentShareMax * filesBytes)) return 'cold';
  const of = (bytes: number): number => Math.round(bytes / mib);
  return `${of(residentBytes)} of ${of(filesBytes)} MiB still in the page cache`;
}
