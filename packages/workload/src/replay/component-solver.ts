import { nothingAt } from '../nothing-at.ts';
/** What an operation in doubt would add if it was applied: `amounts[i]` to the cell `cells[i]`, each cell once. */
interface Doubt {
  readonly cells: readonly number[];
  readonly amounts: readonly number[];
}

/**
 * - `explained`: a subset of the operations, by their places, has exactly the differences as its effect.
 * - `unexplained`: there is none.
 * - `undecided`: there are so many operations that a subset would fit any difference, or the bounded search did not
 * end. A lost operation could hide here, so nothing may be concluded.
 */
export type Explanation =
  | { readonly status: 'explained'; readonly applied: ReadonlySet<number> }
  | { readonly status: 'unexplained' }
  | { readonly status: 'undecided' };

const undecided = 0;
const included = 1;
const excluded = 2;

/** Below this many open operations a search is short and a coincidence unlikely enough. */
const openMin = 16;
/** A coincidence must explain a wrong difference with a probability below 2^−10. */
const marginBits = 10;

interface Choice {
  readonly trailLength: number;
  readonly edge: number;
}

/**
 * Decides for a graph of cells (a row's column) and operations in doubt which operations were applied. Exact:
 * propagates bounds (which settles every cell with one undecided operation) and backtracks in a bounded number of
 * steps. An operation adds to any number of cells, and its sums need not be 0.
 */
export class ComponentSolver {
  readonly #edges: readonly Doubt[];
  /** The place of each edge among the operations that were given. */
  readonly #places: readonly number[];
  /** What the undecided operations of each cell must still add up to. */
  readonly #residuals: Float64Array;
  /** The most that the undecided operations can still add to, and subtract from, each cell. */
  readonly #gains: Float64Array;
  readonly #losses: Float64Array;
  readonly #edgesOf: number[][];
  /** How many undecided operations each cell has. */
  readonly #openOf: Int32Array;
  readonly #states: Uint8Array;
  /** Decided operations in the order of decision, undone from the end. */
  readonly #trail: number[] = [];
  #stepsLeft: number;

  constructor(residuals: readonly number[], doubts: readonly Doubt[], stepsMax = 20_000_000) {
    // Large amounts first: they fit in fewer ways.
    const sorted = [...doubts.entries()].sort(([, a], [, b]) => sizeOf(b) - sizeOf(a));
    this.#edges = sorted.map(([, doubt]) => doubt);
    this.#places = sorted.map(([place]) => place);
    this.#residuals = Float64Array.from(residuals);
    this.#gains = new Float64Array(residuals.length);
    this.#losses = new Float64Array(residuals.length);
    this.#openOf = new Int32Array(residuals.length);
    this.#edgesOf = residuals.map(() => []);
    this.#states = new Uint8Array(doubts.length);
    this.#stepsLeft = stepsMax;
    this.#edges.forEach(({ cells, amounts }, edge) => {
      cells.forEach((cell, place) => {
        const amount = amounts[place] ?? nothingAt(place);
        if (amount > 0) addAt(this.#gains, cell, amount);
        else addAt(this.#losses, cell, -amount);
        addAt(this.#openOf, cell, 1);
        this.#edgesOf[cell]?.push(edge);
      });
    });
  }

  solve(): Explanation {
    if (!this.#propagate(this.#residuals.keys())) return { status: 'unexplained' };
    if (this.#coincidental()) return { status: 'undecided' };
    const choices: Choice[] = [];
    for (let edge = this.#edgeToTry(); edge !== -1; edge = this.#edgeToTry()) {
      if (this.#stepsLeft <= 0) return { status: 'undecided' };
      choices.push({ trailLength: this.#trail.length, edge });
      if (this.#decide(edge, included)) continue;
      if (!this.#backtrack(choices)) return { status: 'unexplained' };
    }
    const applied = this.#places.filter((_, edge) => this.#states[edge] === included);
    return { status: 'explained', applied: new Set(applied) };
  }

  /** Whether the open operations have about as many subsets as there are possible differences. */
  #coincidental(): boolean {
    const open = this.#states.reduce((count, state) => (state === undecided ? count + 1 : count), 0);
    if (open < openMin) return false;
    let bits = 0;
    this.#openOf.forEach((count, cell) => {
      if (count > 0)
        bits += Math.log2(
          (this.#gains[cell] ?? nothingAt(cell)) + (this.#losses[cell] ?? nothingAt(cell)) + 1,
        );
    });
    return open > bits - marginBits;
  }

  /** Changes the latest choice that can still change from included to excluded. False: no choice can. */
  #backtrack(choices: Choice[]): boolean {
    for (let choice = choices.pop(); choice !== undefined; choice = choices.pop()) {
      this.#undoTo(choice.trailLength);
      if (this.#decide(choice.edge, excluded)) return true;
    }
    return false;
  }

  /** The largest undecided operation of the cell with the fewest undecided ones; −1 when all are decided. */
  #edgeToTry(): number {
    let best = -1;
    let fewest = Number.POSITIVE_INFINITY;
    this.#openOf.forEach((open, cell) => {
      if (open === 0 || open >= fewest) return;
      fewest = open;
      best = cell;
    });
    this.#stepsLeft -= this.#openOf.length;
    return this.#edgesOf[best]?.find((edge) => this.#states[edge] === undecided) ?? -1;
  }

  /** Decides an operation and its consequences; false on a contradiction (the caller undoes the trail). */
  #decide(edge: number, state: number): boolean {
    this.#set(edge, state);
    return this.#propagate(this.#edgeAt(edge).cells);
  }

  #propagate(cells: Iterable<number>): boolean {
    const queue = [...cells];
    for (let cell = queue.pop(); cell !== undefined; cell = queue.pop()) {
      if (!this.#feasible(cell)) return false;
      for (const edge of this.#edgesOf[cell] ?? nothingAt(cell)) {
        this.#stepsLeft -= 1;
        if (this.#states[edge] !== undecided) continue;
        const state = this.#forced(cell, edge);
        if (state === undecided) continue;
        this.#set(edge, state);
        for (const other of this.#edgeAt(edge).cells) {
          if (!this.#feasible(other)) return false;
          queue.push(other);
        }
      }
    }
    return true;
  }

  #feasible(cell: number): boolean {
    const residual = this.#residuals[cell] ?? nothingAt(cell);
    return (
      residual <= (this.#gains[cell] ?? nothingAt(cell)) &&
      residual >= -(this.#losses[cell] ?? nothingAt(cell))
    );
  }

  /** What the bounds at one of its cells require of an operation. */
  #forced(cell: number, edge: number): number {
    const { cells, amounts } = this.#edgeAt(edge);
    const amount = amounts[cells.indexOf(cell)] ?? nothingAt(cells.indexOf(cell));
    const residual = this.#residuals[cell] ?? nothingAt(cell);
    const above = (this.#gains[cell] ?? nothingAt(cell)) - residual;
    const below = residual + (this.#losses[cell] ?? nothingAt(cell));
    // One that adds moves the cell's sum up when included; one that takes, down.
    const [slackWithout, slackWith] = amount > 0 ? [above, below] : [below, above];
    if (slackWithout < Math.abs(amount)) return included;
    if (slackWith < Math.abs(amount)) return excluded;
    return undecided;
  }

  #set(edge: number, state: number): void {
    this.#states[edge] = state;
    this.#trail.push(edge);
    this.#account(edge, state, 1);
  }

  #undoTo(trailLength: number): void {
    while (this.#trail.length > trailLength) {
      const edge = this.#trail.pop() ?? 0;
      this.#account(edge, this.#states[edge] ?? undecided, -1);
      this.#states[edge] = undecided;
    }
  }

  /** Moves an operation out of (direction 1) or back into (−1) the undecided ones. */
  #account(edge: number, state: number, direction: 1 | -1): void {
    const { cells, amounts } = this.#edgeAt(edge);
    cells.forEach((cell, place) => {
      const amount = amounts[place] ?? nothingAt(place);
      addAt(this.#openOf, cell, -direction);
      if (amount > 0) addAt(this.#gains, cell, -direction * amount);
      else addAt(this.#losses, cell, direction * amount);
      if (state === included) addAt(this.#residuals, cell, -direction * amount);
    });
  }

  #edgeAt(edge: number): Doubt {
    const found = this.#edges[edge];
    if (found === undefined) throw new RangeError(`no operation ${edge}`);
    return found;
  }
}

function addAt(values: Float64Array | Int32Array, index: number, amount: number): void {
  values[index] = (values[index] ?? nothingAt(index)) + amount;
}

function sizeOf({ amounts }: Doubt): number {
  return amounts.reduce((sum, amount) => sum + Math.abs(amount), 0);
}
