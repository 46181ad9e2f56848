import { type TrialRecord, isPassed, voidsAllowed, voidsBefore } from '@fair-bench/results';

/** The code of a trial that was void before an audit rule could judge it. */
export const notAudited = 'not-audited';

/**
 * The rules that the machine alone can break, and how. Every other rule is a finding about the target, its client or
 * its settings: a trial that breaks one is never measured again, or a target that lies now and then would lose nothing.
 */
export const brokenByMachine: ReadonlyMap<string, string> = new Map([
  [
    'window-clock',
    'a process that waits for a processor says late, or reads late, that a window begins or ends',
  ],
  [
    'window-length',
    'a machine that slows down after the warm-up makes latencies longer than the window was chosen for',
  ],
  ['agent-windows', 'an agent that waits for a processor or the network begins late'],
  ['littles-law', 'a load client that waits for a processor between two operations leaves slots idle'],
  ['reply-bursts', 'replies arrive together after a pause of the disk or of a process without a processor'],
  [
    'flushes-of-others',
    'another program may flush the disk before and after the load, and less while it lasts',
  ],
  ['no-applied-work', 'a disk or a hypervisor that pauses for the whole window lets no operation end'],
  [notAudited, 'a load client was killed or a wait was too long, and the target itself still answers'],
]);

/** Whether the machine alone can have voided a trial. A trial without an audit also needs its target to be alive. */
export function mayBeTheMachines(record: TrialRecord): boolean {
  if (record.status !== 'void') return false;
  return (record.voidBy ?? [notAudited]).every((code) => brokenByMachine.has(code));
}

/**
 * The trials as they count: in a cell with more voids than `voidsAllowed`, no repeat replaces a void. A target that
 * stalls often would otherwise choose its best trials.
 */
export function withFrequentVoids(trials: readonly TrialRecord[]): readonly TrialRecord[] {
  const cells = Map.groupBy(trials, ({ cellId }) => cellId);
  return trials.map((trial) => {
    const { cellId, round, audit, warnings, discardedTrials } = trial;
    const own = cells.get(cellId) ?? [];
    const voids = own.flatMap(voidsBefore).length;
    const [first] = voidsBefore(trial);
    if (first === undefined || !isPassed(trial) || voids <= voidsAllowed(own.length)) return trial;
    const reason = `${first.reason} (it passed when it was measured again, but ${voids} trials of the cell were void, and ${voidsAllowed(own.length)} of ${own.length} may be)`;
    return {
      status: 'void',
      cellId,
      round,
      reason,
      audit,
      facts: trial.factsAfter,
      warnings,
      discardedTrials,
    };
  });
}
