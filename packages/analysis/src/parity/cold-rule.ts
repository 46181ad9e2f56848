import { type Assessment, assess, inWords, valuesBy } from './assessment.ts';
import type { MeasuredTrial, TargetEvidence } from './evidence.ts';
import { rules } from './rules.ts';

const mib = 2 ** 20;
/** What an observer has mapped stays in the page cache: of a file of this size, or of less than a MiB, it is little. */
const residentShareMax = 0.1;

/** All engines begin cold, or all warm. No line where all are warm. */
export function assessCold(evidence: readonly TargetEvidence[]): readonly Assessment[] {
  if (!evidence.some(({ trials }) => trials.some(({ cold }) => cold !== undefined))) {
    if (!evidence.some(({ cells }) => cells.some(({ cold }) => cold === true))) return [];
  }
  const values = valuesBy(evidence, ({ trials }) => [...new Set(trials.map(stateOf))].join(' and '));
  const broken = Object.values(values).every((value) => value === 'cold')
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
