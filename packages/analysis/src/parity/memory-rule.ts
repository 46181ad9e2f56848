import { type Assessment, assess, inWords, valuesBy } from './assessment.ts';
import type { TargetEvidence } from './evidence.ts';
import { rules } from './rules.ts';

const mib = 2 ** 20;

/**
 * With `--memory` the kernel had this limit for the load client of every trial, and the engine's files were out of the page cache
 * when it began: what other processes have read is charged to them. No line without `--memory`.
 */
export function assessMemory(evidence: readonly TargetEvidence[]): readonly Assessment[] {
  if (!evidence.some(({ cells }) => cells.some(({ memoryMb }) => memoryMb !== undefined))) return [];
  const values = valuesBy(evidence, (one) => [...new Set(memoryOf(one).map(describe))].join(' → '));
  const isBroken = evidence.some((one) =>
    memoryOf(one).some(({ requestedMb, memory }) => (memory?.limitBytes ?? null) !== requestedMb * mib),
  );
  const broken = isBroken
    ? `the memory of every engine must be limited as --memory says: ${inWords(values)}`
    : null;
  return [assess({ rule: rules.memory, subject: 'memory of the engine', kind: 'equal' }, values, broken)];
}

interface TrialMemory {
  readonly requestedMb: number;
  readonly memory: TargetEvidence['trials'][number]['memory'];
}

function memoryOf({ trials, cells }: TargetEvidence): readonly TrialMemory[] {
  const all = trials.flatMap(({ cellId, memory }): readonly TrialMemory[] => {
    const requestedMb = cells.find(({ id }) => id === cellId)?.memoryMb;
    return requestedMb === undefined ? [] : [{ requestedMb, memory }];
  });
  return all.toSorted((a, b) => a.requestedMb - b.requestedMb);
}

/** The peaks of trials differ, and stand in their records. */
function describe({ memory }: TrialMemory): string {
  if (memory === undefined || memory.limitBytes === null) return 'no limit observed';
  return `at most ${Math.round(memory.limitBytes / mib)} MiB`;
}
