import { nothingAt } from '../nothing-at.ts';
import { bigOf, type BoundOperand, listOfRule, recordsOf } from './bind.ts';
import { applied, declined, inDoubt, type Replayed } from './session-replay.ts';
import type { TableState } from './table-state.ts';
import { sumOf, type Trial } from './trial.ts';

/** Three numbers each: amount, sent, settled. With more of them, 24 bytes each, the bounds of the whole trial count. */
const stepsMax = 8_000_000;

/** What is added to one column of one row, and when. */
export class SumOverTime {
  readonly #numbers: number[] = [];
  #isExact = true;
  #least: Extremes | null = null;
  #most: Extremes | null = null;

  add(amount: bigint, sentUs: number, settledUs: number): void {
    const number = Number(amount);
    this.#isExact &&= Number.isSafeInteger(number);
    this.#numbers.push(number, sentUs, settledUs);
  }

  /**
   * The least and the greatest that their sum can have been at some time from `fromUs` to `untilUs`, microseconds; null
   * where it is too large to tell. Ask once all were added.
   */
  range(fromUs: number, untilUs: number): readonly [number, number] | null {
    if (!this.#isExact) return null;
    this.#least ??= new Extremes(this.#numbers, 1);
    this.#most ??= new Extremes(this.#numbers, -1);
    const least = this.#least.least(fromUs, untilUs);
    const most = 0 - this.#most.least(fromUs, untilUs);
    return Number.isSafeInteger(least) && Number.isSafeInteger(most) ? [least, most] : null;
  }
}

/**
 * The least that a sum can be over time: what raises it counts from its acknowledgement on, what lowers it from its
 * sending on. With all signs changed, the most. Minima of an interval are found in a segment tree.
 */
class Extremes {
  readonly #times: Float64Array;
  /** The sum after each of the events, in the second half of the array; above each two, the smaller one. */
  readonly #tree: Float64Array;

  constructor(steps: readonly number[], sign: 1 | -1) {
    const count = steps.length / 3;
    const [times, amounts] = [new Float64Array(count), new Float64Array(count)];
    for (let step = 0; step < count; step += 1) {
      const amount = (steps[step * 3] ?? nothingAt(step * 3)) * sign;
      amounts[step] = amount;
      times[step] = steps[step * 3 + (amount < 0 ? 1 : 2)] ?? nothingAt(step * 3 + (amount < 0 ? 1 : 2));
    }
    // What lowers it comes first among those of one time.
    const order = Uint32Array.from({ length: count }, (_, step) => step).sort(
      (a, b) =>
        (times[a] ?? nothingAt(a)) - (times[b] ?? nothingAt(b)) ||
        (amounts[a] ?? nothingAt(a)) - (amounts[b] ?? nothingAt(b)),
    );
    this.#times = Float64Array.from(order, (step) => times[step] ?? nothingAt(step));
    const tree = new Float64Array(2 * count);
    let sum = 0;
    for (const [place, step] of order.entries()) {
      sum += amounts[step] ?? nothingAt(step);
      tree[count + place] = sum;
    }
    for (let node = count - 1; node > 0; node -= 1)
      tree[node] = Math.min(
        tree[2 * node] ?? nothingAt(2 * node),
        tree[2 * node + 1] ?? nothingAt(2 * node + 1),
      );
    this.#tree = tree;
  }

  least(fromUs: number, untilUs: number): number {
    const count = this.#times.length;
    const first = this.#upTo(fromUs);
    let least = first === 0 ? 0 : (this.#tree[count + first - 1] ?? nothingAt(count + first - 1));
    let [low, high] = [count + first, count + this.#upTo(untilUs)];
    for (; low < high; low >>= 1, high >>= 1) {
      if ((low & 1) === 1) least = Math.min(least, this.#tree[low++] ?? nothingAt(low++));
      if ((high & 1) === 1) least = Math.min(least, this.#tree[--high] ?? nothingAt(--high));
    }
    return least;
  }

  /** The number of events until then. */
  #upTo(timeUs: number): number {
    let [low, high] = [0, this.#times.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#times[middle] ?? nothingAt(middle)) <= timeUs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * What the sums that declined operations were compared with can have been while each was in flight, by the logged times
 * of all that is added to them. Each row by itself: a necessary condition of any order. Two more replays; about 100
 * bytes per operation on such a row.
 */
export class SumsInTime {
  readonly #trial: Trial;
  readonly #steps = new Map<number, SumOverTime>();

  constructor(trial: Trial) {
    this.#trial = trial;
    trial.each((replayed, { rules }) => {
      if (replayed.status !== declined) return;
      for (const { rule } of rules) {
        if ('row' in rule) continue;
        for (const operand of [rule.left, rule.right])
          this.#name(operand, replayed, recordsOf(replayed.values, listOfRule(rule)));
      }
    });
    if (this.#steps.size > 0) this.#collect();
  }

  /** The values that the sum can have had during the operation; null where it is not followed. */
  range(
    state: TableState,
    column: number,
    row: number,
    { sentUs, settledUs }: Replayed,
  ): readonly [bigint, bigint] | null {
    const range = this.#steps.get(sumOf(state, column, row))?.range(sentUs, settledUs) ?? null;
    return range === null ? null : [BigInt(range[0]), BigInt(range[1])];
  }

  #name(operand: BoundOperand, { values }: Replayed, records: number): void {
    if (operand.kind !== 'column') return;
    const { row: bound, column } = operand;
    const state = this.#trial.tables[bound.table.number];
    // What a version is depends on what its writers found.
    if (state?.sums.has(column) !== true || bound.table.columns[column]?.writer !== undefined) return;
    for (let record = 0; record < records; record += 1) {
      const row = state.rowAt(bound.keys, values, record);
      if (row === -1) continue;
      const sum = sumOf(state, column, row);
      if (!this.#steps.has(sum)) this.#steps.set(sum, new SumOverTime());
    }
  }

  #collect(): void {
    let count = 0;
    this.#trial.each(({ values, status, sentUs, settledUs }, { effects }) => {
      if (status !== applied && status !== inDoubt) return;
      for (const effect of effects) {
        if (effect.kind !== 'add') continue;
        const state = this.#trial.tables[effect.row.table.number];
        if (state?.sums.has(effect.column) !== true) continue;
        for (let record = 0; record < recordsOf(values, effect.list); record += 1) {
          const row = state.rowAt(effect.row.keys, values, record);
          const steps = row === -1 ? undefined : this.#steps.get(sumOf(state, effect.column, row));
          if (steps === undefined) continue;
          count += 1;
          if (count > stepsMax) continue;
          const amount = bigOf(effect.amount(values, record));
          steps.add(effect.negative ? -amount : amount, sentUs, settledUs);
        }
      }
    });
    if (count > stepsMax) this.#steps.clear();
  }
}
