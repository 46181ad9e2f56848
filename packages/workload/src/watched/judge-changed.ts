import { bindReplies, evaluate } from '../replay/bind.ts';
import type { SessionOutcomes } from '../replay/log-format.ts';
import { type ChangedRows, contentColumns, contentInTurn } from '../replay/reply-check.ts';
import { seededRow } from '../replay/rows.ts';
import { applied, SessionReplay } from '../replay/session-replay.ts';
import { tableNumbered, type Workload } from '../resolved.ts';
import { readsRow } from './changed-rows.ts';

/** When rows were changed, by the clock of the log. `doneUs` is infinite where the change was not acknowledged. */
export interface RowsChange {
  /** Places in `ChangedRows.rows`: from, and up to but not including. */
  readonly from: number;
  readonly until: number;
  readonly doneUs: number;
}

interface ChangedFinding {
  /** Reads of a changed row that began after its change was acknowledged. */
  readonly judged: number;
  /** Of those, with the change. */
  readonly fresh: number;
  /** How long after the acknowledgement the latest stale one began, milliseconds; 0 without any. */
  readonly staleMsMost: number;
  /** The first few stale ones, in words. */
  readonly problems: readonly string[];
}

const problemsMax = 3;

/**
 * Judges by the log the reads of changed rows: one that was sent after its row's change was acknowledged must have the
 * change.
 */
export function judgeChanged(
  workload: Workload,
  logs: readonly SessionOutcomes[],
  changed: ChangedRows,
  changes: readonly RowsChange[],
): ChangedFinding {
  const table = tableNumbered(workload, changed.table);
  const readers = bindReplies(workload).map((bound) => (readsRow(bound, table) ? bound.returns : null));
  const doneUs = new Map(
    changes.flatMap(({ from, until, doneUs: done }) =>
      changed.rows.slice(from, until).map(([row]) => [row, done] as const),
    ),
  );
  const contents = contentColumns(table);
  const isInTurn = contents.includes(changed.column);
  let judged = 0;
  let fresh = 0;
  let staleUsMost = 0;
  const problems: string[] = [];
  for (const log of logs) {
    // What it returned is refused for itself.
    if (log.mistakesCount > 0) continue;
    new SessionReplay(workload, log).each(
      log.sessions,
      ({ session, sequence, operation, values, status, sentUs }, replay) => {
        const returns = readers[operation] ?? null;
        if (returns === null || status !== applied || !replay.isTimed(sequence)) return;
        if (isInTurn && contentInTurn(contents, sequence) !== changed.column) return;
        const key = evaluate(returns.keys, values);
        const afterUs = sentUs - (doneUs.get(seededRow(table, key)) ?? Infinity);
        if (!(afterUs > 0)) return;
        judged += 1;
        if (replay.hasChange(sequence)) {
          fresh += 1;
          return;
        }
        staleUsMost = Math.max(staleUsMost, afterUs);
        if (problems.length < problemsMax)
          problems.push(
            `operation ${sequence} of session ${session} was sent ${(afterUs / 1000).toFixed(1)} ms after the change ` +
              `of ${table.name} (${key.join(', ')}) was acknowledged, and returned what was there before`,
          );
      },
    );
  }
  return { judged, fresh, staleMsMost: staleUsMost / 1000, problems };
}
