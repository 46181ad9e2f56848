import { type CellSummary, type TrialRecord, type Verdict, voidsBefore } from '@fair-bench/results';
import type { Parity } from '../parity/assess-parity.ts';

interface Judged {
  readonly parity: Parity['verdict'];
  readonly cells: readonly CellSummary[];
  /** As recorded: a trial that passed when it was measured again counts as passed, and its void counts apart. */
  readonly trials: readonly TrialRecord[];
  readonly disturbed: boolean;
}

/** The verdict in one word and its counts. A comparison alone can be fair: without a second target with a number, a run is valid. */
export function verdictOf({ parity: { fair, differences }, cells, trials, disturbed }: Judged): Verdict {
  const measured = cells.filter(({ status }) => status === 'ok').map(({ target }) => target);
  const targets = new Set(measured).size;
  const label = fair ? (targets < 2 ? 'VALID' : 'FAIR') : 'NOT FAIR';
  return { fair, label, differences, disturbed, targets, trials: countTrials(trials) };
}

/** Every trial that was audited, with those that were void before they were measured again. */
function countTrials(trials: readonly TrialRecord[]): { audited: number; void: number } {
  const before = trials.flatMap(voidsBefore).length;
  const ended = trials.filter(({ status }) => status !== 'interrupted');
  const voids = ended.filter(({ status }) => status === 'void').length;
  return { audited: ended.length + before, void: voids + before };
}
