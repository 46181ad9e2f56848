import { nothingAt } from '../nothing-at.ts';
import { Mismatches, Uint32List } from './growing.ts';
import { neverUs } from './log-format.ts';

/** The writer of a value: an applied operation, or (from 1) the operation in doubt of that number less 1. */
const byApplied = 0;
const read = 0xffff_ffff;

/** The value that a cell had before the trial: two words in `words`, or none. */
export interface CellNames {
  /** Writes the seeded version of the cell into `target`; false when the trial created the cell. */
  initial(cell: number, target: Uint32Array): boolean;
  describe(cell: number): string;
}

/**
 * Writes and reads of cells (a row's column), each an interval of time with a version, and whether some order of them
 * explains every read: each cell is linearizable, by zones (P. B. Gibbons and E. Korach, "Testing Shared Memories",
 * SIAM Journal on Computing 26, 1997), in n log n, for unique values. The last value is a read after everything else.
 * 24 bytes per event.
 */
export class Cells {
  readonly impossible = new Mismatches('with a value that nobody wrote');
  readonly stale = new Mismatches('with values in an order that no order of the operations explains');
  /** Operations in doubt whose values were seen. */
  readonly visible = new Set<number>();
  /** Cells with repeated values: only the writers of their reads are checked. */
  repeated = 0;
  readonly #cells = new Uint32List();
  readonly #versions = new Uint32List();
  readonly #times = new Uint32List();
  readonly #kinds = new Uint32List();

  get count(): number {
    return this.#cells.length;
  }

  /** `doubt` is the number of the operation in doubt plus 1, or 0. */
  write(cell: number, version: Uint32Array, sentUs: number, settledUs: number, doubt: number): void {
    this.#event(cell, version, sentUs, settledUs, doubt);
  }

  read(cell: number, version: Uint32Array, sentUs: number, settledUs: number): void {
    this.#event(cell, version, sentUs, settledUs, read);
  }

  /** The value that the cell had after the trial. */
  last(cell: number, version: Uint32Array): void {
    this.#event(cell, version, neverUs, neverUs, read);
  }

  check(names: CellNames): void {
    const order = this.#inOrder();
    const cells = this.#cells.view();
    for (let start = 0; start < order.length;) {
      const cell = cells[order[start] ?? nothingAt(start)] ?? nothingAt('its index');
      let end = start + 1;
      while (end < order.length && cells[order[end] ?? nothingAt(end)] === cell) end += 1;
      this.#checkCell(cell, order.subarray(start, end), names);
      start = end;
    }
  }

  #event(cell: number, version: Uint32Array, sentUs: number, settledUs: number, kind: number): void {
    this.#cells.push(cell);
    this.#versions.push(version[0] ?? nothingAt(0));
    this.#versions.push(version[1] ?? nothingAt(1));
    this.#times.push(sentUs);
    this.#times.push(settledUs);
    this.#kinds.push(kind);
  }

  #checkCell(cell: number, events: Uint32Array, names: CellNames): void {
    events.sort((a, b) => this.#compareVersions(a, b));
    const initial = new Uint32Array(2);
    const hasInitial = names.initial(cell, initial);
    const forward: Zone[] = [];
    const backward: Zone[] = [];
    let unique = true;
    for (let start = 0; start < events.length;) {
      const first = events[start] ?? nothingAt(start);
      let end = start + 1;
      while (end < events.length && this.#compareVersions(first, events[end] ?? nothingAt(end)) === 0)
        end += 1;
      const seeded = hasInitial && this.#hasVersion(first, initial);
      const cluster = this.#clusterOf(events.subarray(start, end), seeded);
      if (cluster === 'impossible') return this.impossible.add(() => names.describe(cell));
      if (cluster === 'early')
        return this.stale.add(() => `${names.describe(cell)}: read before it was written`);
      if (cluster === 'repeated') unique = false;
      else if (cluster !== 'unseen')
        (cluster.firstEndUs < cluster.lastStartUs ? forward : backward).push(cluster);
      start = end;
    }
    if (!unique) this.repeated += 1;
    const explained = unique
      ? ordered(forward, backward)
      : this.#canBeLast(events, hasInitial ? initial : null);
    if (!explained) this.stale.add(() => names.describe(cell));
    return undefined;
  }

  /** Of values that are not unique: whether no applied write was sent after every writer of the last value had settled. */
  #canBeLast(events: Uint32Array, initial: Uint32Array | null): boolean {
    const last = events.find(
      (event) => this.#kinds.at(event) === read && this.#times.at(event * 2) === neverUs,
    );
    if (last === undefined) return true;
    let writtenUs = initial !== null && this.#hasVersion(last, initial) ? 0 : -1;
    let otherSentUs = -1;
    for (const event of events) {
      const kind = this.#kinds.at(event);
      if (kind === read) continue;
      if (this.#compareVersions(event, last) === 0) {
        writtenUs = Math.max(writtenUs, this.#times.at(event * 2 + 1));
      } else if (kind === byApplied) otherSentUs = Math.max(otherSentUs, this.#times.at(event * 2));
    }
    return otherSentUs <= writtenUs;
  }

  #hasVersion(event: number, version: Uint32Array): boolean {
    return this.#versions.at(event * 2) === version[0] && this.#versions.at(event * 2 + 1) === version[1];
  }

  /** The zone of the write and the reads of one value. */
  #clusterOf(events: Uint32Array, seeded: boolean): Zone | 'impossible' | 'early' | 'repeated' | 'unseen' {
    let writes = seeded ? 1 : 0;
    let reads = 0;
    let writeStartUs = seeded ? 0 : neverUs;
    let readEndUs = neverUs;
    let firstEndUs = seeded ? 0 : neverUs;
    let lastStartUs = 0;
    let doubt = 0;
    for (const event of events) {
      const kind = this.#kinds.at(event);
      const startUs = this.#times.at(event * 2);
      const endUs = this.#times.at(event * 2 + 1);
      if (kind === read) {
        reads += 1;
        readEndUs = Math.min(readEndUs, endUs);
      } else {
        writes += 1;
        writeStartUs = Math.min(writeStartUs, startUs);
        if (kind !== byApplied) doubt = kind;
      }
      firstEndUs = Math.min(firstEndUs, endUs);
      lastStartUs = Math.max(lastStartUs, startUs);
    }
    if (writes === 0) return 'impossible';
    if (readEndUs < writeStartUs) return 'early';
    if (writes > 1) return 'repeated';
    if (doubt !== byApplied) {
      // An operation in doubt that nobody saw may never have happened.
      if (reads === 0) return 'unseen';
      this.visible.add(doubt - 1);
    }
    return { firstEndUs, lastStartUs };
  }

  #compareVersions(a: number, b: number): number {
    const high = this.#versions.at(a * 2) - this.#versions.at(b * 2);
    return high === 0 ? this.#versions.at(a * 2 + 1) - this.#versions.at(b * 2 + 1) : high;
  }

  /** Events by their cell: a radix sort of 11 bits at a time. */
  #inOrder(): Uint32Array {
    const cells = this.#cells.view();
    let order = Uint32Array.from(cells, (_, event) => event);
    let next = new Uint32Array(order.length);
    for (let shift = 0; shift < 33; shift += 11) {
      const starts = new Uint32Array(2049);
      const digit = (cell: number): number => (shift === 22 ? cell >>> 22 : (cell >>> shift) & 2047);
      for (const cell of cells)
        starts[digit(cell) + 1] = (starts[digit(cell) + 1] ?? nothingAt(digit(cell) + 1)) + 1;
      for (let place = 1; place < starts.length; place += 1)
        starts[place] = (starts[place] ?? nothingAt(place)) + (starts[place - 1] ?? nothingAt(place - 1));
      for (const event of order) {
        const place = digit(cells[event] ?? nothingAt(event));
        next[starts[place] ?? nothingAt(place)] = event;
        starts[place] = (starts[place] ?? nothingAt(place)) + 1;
      }
      [order, next] = [next, order];
    }
    return order;
  }
}

/** From the first end to the last start of a value's operations: forward when the end comes first. */
interface Zone {
  readonly firstEndUs: number;
  readonly lastStartUs: number;
}

/** Forward zones must not overlap, and no backward zone may lie within a forward one. */
function ordered(forward: Zone[], backward: readonly Zone[]): boolean {
  if (forward.length === 0) return true;
  forward.sort((a, b) => a.firstEndUs - b.firstEndUs);
  for (let place = 1; place < forward.length; place += 1) {
    if ((forward[place]?.firstEndUs ?? 0) < (forward[place - 1]?.lastStartUs ?? 0)) return false;
  }
  return backward.every(({ firstEndUs, lastStartUs }) => {
    let low = 0;
    let high = forward.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((forward[middle]?.firstEndUs ?? 0) < lastStartUs) low = middle + 1;
      else high = middle;
    }
    const zone = forward[low - 1];
    return zone === undefined || firstEndUs >= zone.lastStartUs;
  });
}
