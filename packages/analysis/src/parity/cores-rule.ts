import { type Assessment, assess, inWords, valuesBy } from './assessment.ts';
import type { TargetEvidence } from './evidence.ts';
import { rules } from './rules.ts';

/** The servers of one trial: what was requested, if anything, and what the kernel listed for its processes. */
interface Allowed {
  readonly requested: number | null;
  readonly count: number;
}

/**
 * The servers of every target may use the same number of processors, in the cells of one `--cores` value or of none.
 * Targets whose servers were not observed do not count.
 */
export function assessServerCores(evidence: readonly TargetEvidence[]): Assessment {
  const values = valuesBy(evidence, (one) => {
    const counts = [...new Set(allowedIn(one).map(({ count }) => count))].toSorted((a, b) => a - b);
    return counts.length === 0 ? 'not observed' : counts.join(' and ');
  });
  const all = evidence.flatMap(allowedIn);
  const isUneven = [...Map.groupBy(all, ({ requested }) => requested).values()].some(
    (same) => new Set(same.map(({ count }) => count)).size > 1,
  );
  const isOther = all.some(({ requested, count }) => requested !== null && requested !== count);
  const broken =
    isUneven || isOther
      ? `the servers of every target must be able to use the same number of processors${isOther ? ', as many as --cores says' : ''}: ${inWords(values)}`
      : null;
  return assess({ rule: rules.cores, subject: 'processors of the servers', kind: 'equal' }, values, broken);
}

function allowedIn({ trials, cells }: TargetEvidence): readonly Allowed[] {
  return trials.flatMap(({ cellId, cores }): readonly Allowed[] => {
    const requested = cells.find(({ id }) => id === cellId)?.cores ?? null;
    return (cores?.servers ?? []).flatMap((list) => {
      const count = countIn(list);
      return count === null ? [] : [{ requested, count }];
    });
  });
}

/** `0,2-3` has three; null for a list that the kernel did not give. */
function countIn(list: string): number | null {
  if (!/^\d+(-\d+)?(,\d+(-\d+)?)*$/.test(list)) return null;
  return list.split(',').reduce((sum, part) => {
    const [from = 0, to = from] = part.split('-').map(Number);
    return sum + to - from + 1;
  }, 0);
}
