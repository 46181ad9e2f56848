import { nothingAt } from '../nothing-at.ts';
import type { Row } from '@fair-bench/contract';
import { createSlots, createStream } from '../compile.ts';
import { mix32 } from '../draw/scale.ts';
import { bindReplies, evaluate, type BoundReply } from '../replay/bind.ts';
import { type ChangedRows, isContent } from '../replay/reply-check.ts';
import { seededRow } from '../replay/rows.ts';
import { mayChange, type ResolvedTable, tableNumbered, type Workload } from '../resolved.ts';
import { createSeededCells, createSeededRows, equalValues } from '../seeded.ts';
import type { SessionSpan } from '../stream.ts';

/** How many operations are drawn to find rows that are read. */
const drawnMax = 100_000;
const triesMax = 8;

/**
 * About `count` rows that the streams read, the oftener read ones rather; null where no operation reads rows that stay.
 * @param secret an unsigned 32-bit number that chooses among them, as in `drawWatched`.
 */
export function drawChanged(
  workload: Workload,
  sessions: SessionSpan,
  { count, secret }: { readonly count: number; readonly secret: number },
): ChangedRows | null {
  if (workload.description.code !== undefined) return null;
  const reads = readsByTable(workload, sessions);
  const [most] = [...reads].toSorted(([, a], [, b]) => b.length - a.length);
  if (most === undefined) return null;
  const [table, numbers] = most;
  const column = changedColumn(table);
  if (column === -1 || table.rows < 2) return null;
  const valueOf = createSeededCells(workload);
  const rows = new Map<number, number>();
  for (let place = 0; place < triesMax * count && rows.size < count; place += 1) {
    const row = numbers[(mix32((place + 1) ^ secret) >>> 0) % numbers.length] ?? nothingAt('its index');
    const like = (row + 1 + ((mix32(row + 1) >>> 0) % (table.rows - 1))) % table.rows;
    const before = valueOf(table.number, column, row);
    if (!equalValues(before, valueOf(table.number, column, like))) rows.set(row, like);
  }
  return rows.size === 0 ? null : { table: table.number, column, rows: [...rows] };
}

/** The changed rows as they are then, in their order. */
export function rowsChanged(workload: Workload, changed: ChangedRows): Row[] {
  const before = rowsUnchanged(workload, changed);
  const valueOf = createSeededCells(workload);
  return before.map((row, place) => {
    const [, like] = changed.rows[place] ?? nothingAt(place);
    return row.with(changed.column, valueOf(changed.table, changed.column, like));
  });
}

/** The same rows as they were seeded. */
export function rowsUnchanged(workload: Workload, { table, rows }: ChangedRows): Row[] {
  const resolved = tableNumbered(workload, table);
  const rowOf = createSeededRows(workload, resolved);
  return rows.map(([row]) => [...rowOf(row)]);
}

/** By table that stays as it was seeded, the number of each row that a beginning of the streams reads by its key. */
function readsByTable(
  workload: Workload,
  { first, count, all }: SessionSpan,
): ReadonlyMap<ResolvedTable, readonly number[]> {
  const replies = bindReplies(workload);
  const reads = new Map<ResolvedTable, number[]>();
  for (const table of workload.tables) {
    if (mayChange(workload, table) || table.columns.length === table.keyColumns) continue;
    if (replies.some((bound) => bound.operation.weight > 0 && readsRow(bound, table))) reads.set(table, []);
  }
  if (reads.size === 0) return reads;
  const slots = createSlots(workload);
  for (let session = 0; session < count; session += 1) {
    const stream = createStream(workload, { session: first + session, sessions: all });
    for (let drawn = 0; drawn < drawnMax / count; drawn += 1) {
      const operation = stream.next(slots);
      const returns = replies[operation]?.returns;
      if (returns?.kind !== 'row' || returns.by !== null) continue;
      const row = seededRow(returns.table, evaluate(returns.keys, slots[operation] ?? nothingAt(operation)));
      if (row !== -1) reads.get(returns.table)?.push(row);
    }
  }
  return reads;
}

type RowReader = BoundReply & {
  readonly returns: Extract<BoundReply['returns'], { kind: 'row' }>;
};

export function readsRow(bound: BoundReply, table: ResolvedTable): bound is RowReader {
  const { returns } = bound;
  return returns.kind === 'row' && returns.by === null && returns.table === table;
}

/** One that every reply has checked, else the first text or bytes, which are checked in turn; −1 without any. */
function changedColumn({ columns, keyColumns }: ResolvedTable): number {
  const plain = columns.findIndex(
    (column, place) => place >= keyColumns && !isContent(column) && column.seed.kind !== 'constant',
  );
  return plain === -1
    ? columns.findIndex(({ seed }, place) => place >= keyColumns && seed.kind === 'content')
    : plain;
}
