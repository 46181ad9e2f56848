import { nothingAt } from '../nothing-at.ts';
import type { Row } from '@fair-bench/contract';
import type { SessionOutcomes } from '../replay/log-format.ts';
import { applied, declined, fault, SessionReplay } from '../replay/session-replay.ts';
import type { Workload } from '../resolved.ts';
import { isLikeModel } from '../seeded.ts';
import type { ModelRow } from '../store.ts';
import { nameOfRow, type RowKey, Witnesses } from './witnesses.ts';

/** What another connection read of an operation's rows right after its acknowledgement. */
export interface WatchedReading {
  readonly session: number;
  readonly sequence: number;
  readonly rows: readonly (RowKey & { readonly found: Row | null })[];
  /** From the acknowledgement to the reading's answer. */
  readonly afterMs: number | null;
  /** When the reading had ended, by the clock of the log; infinite where that is not known. */
  readonly endUs: number;
}

/** At a time of the log's clock none of these sessions had drawn an operation beyond `drawnMost`. */
export interface DrawnMark {
  readonly atUs: number;
  readonly sessions: readonly [number, number];
  readonly drawnMost: number;
}

interface WatchedFinding {
  /** Readings of a row that no other operation can have written until then, without the late ones. */
  readonly judged: number;
  /** Of those, with exactly the effect of the operation. */
  readonly visible: number;
  /** Readings with the effect that were answered too late, or nobody knows when: they may have waited for it. */
  readonly late: number;
  /** From acknowledgement to answer, of the judged ones. */
  readonly afterMs: readonly number[];
  /** The first few without, in words. */
  readonly problems: readonly string[];
}

const problemsMax = 3;

interface Touch {
  readonly session: number;
  readonly sequence: number;
  readonly sentUs: number;
}

/** What was read in a trial of a load client, and what says which readings count. */
interface Watched {
  readonly readings: readonly WatchedReading[];
  readonly marks: readonly DrawnMark[];
  /** An effect counts as seen only in readings that were answered sooner. */
  readonly withinMs: number;
}

/** Judges readings by the log: a row counts only if no other operation that may have been done was sent before its end. */
export function judgeWatched(
  workload: Workload,
  logs: readonly SessionOutcomes[],
  { readings, marks, withinMs }: Watched,
): WatchedFinding {
  const witnesses = new Witnesses(workload);
  const named = new Set(readings.flatMap(({ rows }) => rows.map(nameOfRow)));
  const firsts = workload.tables.map(
    ({ number }) =>
      new Set(
        readings.flatMap(({ rows }) => rows.flatMap(({ table, key }) => (table === number ? key[0] : []))),
      ),
  );
  const own = new Set(readings.map(nameOfOperation));
  const expected = new Map<string, ModelRow>();
  const touches = new Map<string, Touch[]>();
  for (const log of logs) {
    new SessionReplay(workload, log).each(
      log.sessions,
      ({ session, sequence, operation, values, status, sentUs }) => {
        if (status === declined || status === fault) return;
        witnesses.eachRow(operation, values, (table, key) => {
          if (firsts[table]?.has(key[0] ?? nothingAt(0)) !== true) return;
          const name = nameOfRow({ table, key });
          if (!named.has(name)) return;
          const all = touches.get(name) ?? [];
          touches.set(name, all);
          all.push({ session, sequence, sentUs });
        });
        const id = nameOfOperation({ session, sequence });
        if (status !== applied || !own.has(id)) return;
        for (const each of witnesses.of(operation, values))
          expected.set(`${id} ${nameOfRow(each)}`, each.row);
      },
    );
  }
  const judged = readings.flatMap((reading) => {
    const clear = reading.rows.filter((row) => !isTouched(reading, touches.get(nameOfRow(row)) ?? [], marks));
    if (clear.length === 0) return [];
    const unlike = clear.find(
      (row) => !fits(row.found, expected.get(`${nameOfOperation(reading)} ${nameOfRow(row)}`)),
    );
    return [{ reading, unlike }];
  });
  const wrong = judged.flatMap(({ reading, unlike }) =>
    unlike === undefined ? [] : [describe(workload, reading, unlike)],
  );
  const late = judged.filter(
    ({ reading: { afterMs }, unlike }) => unlike === undefined && (afterMs === null || afterMs >= withinMs),
  );
  return {
    judged: judged.length - late.length,
    visible: judged.length - late.length - wrong.length,
    late: late.length,
    afterMs: judged.flatMap(({ reading }) => reading.afterMs ?? []),
    problems: wrong.slice(0, problemsMax),
  };
}

/** Whether another operation may have been sent before the reading's end. */
function isTouched(
  { session, sequence, endUs }: WatchedReading,
  touches: readonly Touch[],
  marks: readonly DrawnMark[],
): boolean {
  const isLater = (touch: Touch): boolean =>
    touch.sentUs > endUs ||
    marks.some(
      ({ atUs, sessions: [first, last], drawnMost }) =>
        atUs >= endUs && touch.session >= first && touch.session <= last && touch.sequence > drawnMost,
    );
  return touches.some(
    (touch) => (touch.session !== session || touch.sequence !== sequence) && !isLater(touch),
  );
}

function nameOfOperation({
  session,
  sequence,
}: {
  readonly session: number;
  readonly sequence: number;
}): string {
  return `${session} ${sequence}`;
}

/** An operation that its log does not have as applied was acknowledged all the same: nothing fits it. */
function fits(found: Row | null, expected: ModelRow | undefined): boolean {
  return found !== null && expected !== undefined && isLikeModel(found, expected);
}

function describe({ tables }: Workload, { session, sequence, afterMs }: WatchedReading, row: RowKey): string {
  const delay = afterMs === null ? '' : ` answered ${afterMs.toFixed(1)} ms later`;
  return (
    `operation ${sequence} of session ${session} was acknowledged as applied, and a reading${delay} did not find its ` +
    `effect in ${tables[row.table]?.name ?? row.table} (${row.key.join(', ')})`
  );
}
