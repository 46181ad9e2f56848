import type { SessionReplay } from './session-replay.ts';

/** How the operations of a trial ended, over its whole length. */
export interface TrialCounts {
  readonly applied: number;
  readonly declined: number;
  /** Those in doubt among them. */
  readonly faults: number;
  readonly inDoubt: number;
}

export function countsOf(sessions: readonly SessionReplay[]): TrialCounts & { readonly drawn: number } {
  const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
  const drawn = sum(sessions.map(({ log }) => log.drawn));
  const refused = sum(sessions.map(({ declinedCount }) => declinedCount));
  const inDoubt = sum(sessions.map(({ inDoubtCount }) => inDoubtCount));
  const faults = inDoubt + sum(sessions.map(({ faultCount }) => faultCount));
  return { drawn, applied: drawn - refused - faults, declined: refused, faults, inDoubt };
}

/** Why the log is not that of the load client's own counts; null if it is. */
export function disagreement(counts: TrialCounts, reported: TrialCounts | undefined): string | null {
  if (reported === undefined) return null;
  const differing = (['applied', 'declined', 'faults', 'inDoubt'] as const).filter(
    (each) => counts[each] !== reported[each],
  );
  if (differing.length === 0) return null;
  const words = differing.map((each) => `${each}: ${counts[each]} in the log, ${reported[each]} counted`);
  return `the outcome log is not that of the operations which the load client counted (${words.join('; ')})`;
}

/** Why a trial is void before anything is compared. */
export function refusalOf(
  sessions: readonly SessionReplay[],
  drawn: number,
  inDoubt: number,
  shareMax: number,
): string | null {
  const logs = sessions.map(({ log }) => log);
  if (logs.some(({ overflowed }) => overflowed)) {
    return 'the outcome log was full and writes are missing in it; use a shorter trial';
  }
  const mistakes = logs.reduce((sum, { mistakesCount }) => sum + mistakesCount, 0);
  if (mistakes > 0) {
    const [first = ''] = logs.flatMap((log) => log.mistakes);
    return `${mistakes} replies were invalid, the first: ${first}`;
  }
  if (inDoubt <= drawn * shareMax) return null;
  return `${inDoubt} of ${drawn} operations are in doubt, more than ${shareMax * 100} %: a lost one could hide among them`;
}
