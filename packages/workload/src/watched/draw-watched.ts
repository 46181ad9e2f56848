import { nothingAt } from '../nothing-at.ts';
import type { Row } from '@fair-bench/contract';
import { createSlots, createStream } from '../compile.ts';
import { mix32 } from '../draw/scale.ts';
import { seededRow } from '../replay/rows.ts';
import type { Workload } from '../resolved.ts';
import type { SessionSpan } from '../stream.ts';
import { nameOfRow, type RowKey, Witnesses } from './witnesses.ts';

/** An operation of a trial's own stream, with rows that nobody else writes about that time. */
export interface WatchedOperation {
  readonly session: number;
  /** Its number in the stream of its session. */
  readonly sequence: number;
  readonly rows: readonly RowKey[];
}

/** How many operations are drawn to find them; later ones are not watched. */
const drawnMax = 300_000;
/** About how many are watched; more of them at the beginning of a stream, because a slow system gets no further. */
const watchedMax = 16_000;
/** How much further other sessions may be when the row has been read. */
const aheadFactor = 1.25;
const aheadLeast = 200;

/**
 * The *natural canaries* of a trial: operations of its streams with a written row that no other operation touches, as
 * far as can be known before. Nothing in them differs from the others. Each row is judged after the trial by the log.
 * @param secret an unsigned 32-bit number that chooses among them: whoever knows the seed, and with it the streams, does not know which.
 */
export function drawWatched(
  workload: Workload,
  sessions: SessionSpan,
  secret: number,
): readonly WatchedOperation[] {
  const witnesses = new Witnesses(workload);
  const each = Math.floor(drawnMax / sessions.count);
  if (!witnesses.possible || each === 0) return [];
  const touches = new Touches(workload);
  drawn(workload, sessions, each, (owner, sequence, operation, values) => {
    witnesses.eachRow(operation, values, (table, key) => touches.add(table, key, owner, sequence));
  });
  const expected = watchedMax / (sessions.count * (1 + Math.log(each)));
  const watched: WatchedOperation[] = [];
  drawn(workload, sessions, each, (owner, sequence, operation, values) => {
    if (mix32((owner + 1) ^ secret) >>> 0 >= (2 ** 32 * expected) / (sequence + 1)) return;
    const until = aheadFactor * sequence + aheadLeast;
    const rows = witnesses
      .of(operation, values)
      .filter(({ table, key }) => touches.otherAt(table, key, owner) > until)
      .map(({ table, key }) => ({ table, key }));
    if (rows.length > 0) watched.push({ session: sessions.first + Math.floor(owner / each), sequence, rows });
  });
  return watched;
}

type Visit = (owner: number, sequence: number, operation: number, values: Row | Values) => void;
type Values = ReturnType<typeof createSlots>[number];

function drawn(workload: Workload, { first, count, all }: SessionSpan, each: number, visit: Visit): void {
  const slots = createSlots(workload);
  for (let session = 0; session < count; session += 1) {
    const stream = createStream(workload, { session: first + session, sessions: all });
    for (let sequence = 0; sequence < each; sequence += 1) {
      const operation = stream.next(slots);
      visit(session * each + sequence, sequence, operation, slots[operation] ?? nothingAt(operation));
    }
  }
}

/** By row, the operation that writes it first in its stream, and the place of the second. */
class Touches {
  readonly #workload: Workload;
  readonly #rows: readonly Map<number | string, { owner: number; first: number; second: number }>[];

  constructor(workload: Workload) {
    this.#workload = workload;
    this.#rows = workload.tables.map(() => new Map());
  }

  add(table: number, key: Row, owner: number, sequence: number): void {
    const name = this.#nameOf(table, key);
    const known = this.#rows[table]?.get(name);
    if (known === undefined) {
      this.#rows[table]?.set(name, { owner, first: sequence, second: Infinity });
    } else if (owner === known.owner) {
      return;
    } else if (sequence < known.first) {
      Object.assign(known, { owner, first: sequence, second: known.first });
    } else if (sequence < known.second) {
      known.second = sequence;
    }
  }

  /** The place of the first operation other than the owner that writes the row. */
  otherAt(table: number, key: Row, owner: number): number {
    const known = this.#rows[table]?.get(this.#nameOf(table, key));
    if (known === undefined) return Infinity;
    return known.owner === owner ? known.second : known.first;
  }

  #nameOf(table: number, key: Row): number | string {
    const resolved = this.#workload.tables[table];
    const number = resolved === undefined ? -1 : seededRow(resolved, key);
    return number === -1 ? nameOfRow({ table, key }) : number;
  }
}
