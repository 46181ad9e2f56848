export interface Edge {
  readonly source: number;
  readonly target: number;
  readonly amount: number;
}

/**
 * - `explained`: a subset of the operations has exactly the differences as its effect; so many are in it.
 * - `unexplained`: there is none.
 * - `plausible`: the search was given up at its bound; every difference lies within what the operations
 *   could do, and their sum is 0. `applied` counts the operations that must be in any such subset.
 */
export type Explanation =
  | { readonly status: 'explained'; readonly applied: number }
  | { readonly status: 'unexplained' }
  | { readonly status: 'plausible'; readonly applied: number };

const undecided = 0;
const included = 1;
const excluded = 2;

interface Choice {
  readonly trailLength: number;
  readonly edge: number;
}

/**
 * Decides for a graph of accounts and in-doubt transfers which transfers were applied: exact, by
 * propagation of bounds (which settles every account with one undecided transfer) and backtracking in a
 * bounded number of steps.
 */
export class ComponentSolver {
  readonly #edges: readonly Edge[];
  /** What the undecided edges of each vertex must still add up to. */
  readonly #residuals: number[];
  /** The most that the undecided edges can still add to, and take from, each vertex. */
  readonly #gains: number[];
  readonly #losses: number[];
  readonly #edgesOf: number[][];
  /** How many undecided edges each vertex has. */
  readonly #openOf: number[];
  readonly #states: Uint8Array;
  /** Decided edges in the order of decision, to be undone from its end. */
  readonly #trail: number[] = [];
  #stepsLeft: number;

  constructor(residuals: readonly number[], edges: readonly Edge[], stepsMax = 20_000_000) {
    // Large amounts first: a large one can be placed in fewer ways.
    this.#edges = [...edges].sort((a, b) => b.amount - a.amount);
    this.#residuals = [...residuals];
    this.#gains = residuals.map(() => 0);
    this.#losses = residuals.map(() => 0);
    this.#edgesOf = residuals.map(() => []);
    this.#openOf = residuals.map(() => 0);
    this.#states = new Uint8Array(edges.length);
    this.#stepsLeft = stepsMax;
    this.#edges.forEach(({ source, target, amount }, edge) => {
      addAt(this.#losses, source, amount);
      addAt(this.#gains, target, amount);
      addAt(this.#openOf, source, 1);
      addAt(this.#openOf, target, 1);
      this.#edgesOf[source]?.push(edge);
      this.#edgesOf[target]?.push(edge);
    });
  }

  solve(): Explanation {
    if (!this.#propagate(this.#residuals.keys())) return { status: 'unexplained' };
    const proven = this.#includedCount();
    const choices: Choice[] = [];
    for (let edge = this.#edgeToTry(); edge !== -1; edge = this.#edgeToTry()) {
      if (this.#stepsLeft <= 0) return { status: 'plausible', applied: proven };
      choices.push({ trailLength: this.#trail.length, edge });
      if (this.#decide(edge, included)) continue;
      if (!this.#backtrack(choices)) return { status: 'unexplained' };
    }
    return { status: 'explained', applied: this.#includedCount() };
  }

  /** Turns the latest choice that can be turned from included to excluded; false when there is none. */
  #backtrack(choices: Choice[]): boolean {
    for (let choice = choices.pop(); choice !== undefined; choice = choices.pop()) {
      this.#undoTo(choice.trailLength);
      if (this.#decide(choice.edge, excluded)) return true;
    }
    return false;
  }

  /** The largest undecided edge of the vertex with the fewest undecided edges; −1 when all are decided. */
  #edgeToTry(): number {
    let best = -1;
    let fewest = Number.POSITIVE_INFINITY;
    this.#openOf.forEach((open, vertex) => {
      if (open === 0 || open >= fewest) return;
      fewest = open;
      best = vertex;
    });
    this.#stepsLeft -= this.#openOf.length;
    return this.#edgesOf[best]?.find((edge) => this.#states[edge] === undecided) ?? -1;
  }

  /** Decides an edge and what follows from it; false on a contradiction (the caller undoes the trail). */
  #decide(edge: number, state: number): boolean {
    this.#set(edge, state);
    const { source, target } = this.#edgeAt(edge);
    return this.#propagate([source, target]);
  }

  #propagate(vertices: Iterable<number>): boolean {
    const queue = [...vertices];
    for (let vertex = queue.pop(); vertex !== undefined; vertex = queue.pop()) {
      if (!this.#feasible(vertex)) return false;
      for (const edge of this.#edgesOf[vertex] ?? []) {
        this.#stepsLeft -= 1;
        if (this.#states[edge] !== undecided) continue;
        const state = this.#forced(vertex, edge);
        if (state === undecided) continue;
        this.#set(edge, state);
        const { source, target } = this.#edgeAt(edge);
        queue.push(source, target);
        if (!this.#feasible(source) || !this.#feasible(target)) return false;
      }
    }
    return true;
  }

  #feasible(vertex: number): boolean {
    const residual = this.#residuals[vertex] ?? 0;
    return residual <= (this.#gains[vertex] ?? 0) && residual >= -(this.#losses[vertex] ?? 0);
  }

  /** What the bounds at one of its ends force an edge to be. */
  #forced(vertex: number, edge: number): number {
    const { target, amount } = this.#edgeAt(edge);
    const residual = this.#residuals[vertex] ?? 0;
    const above = (this.#gains[vertex] ?? 0) - residual;
    const below = residual + (this.#losses[vertex] ?? 0);
    // An edge into the vertex moves its sum up when included; one out of it, when excluded.
    const [slackWithout, slackWith] = target === vertex ? [above, below] : [below, above];
    if (slackWithout < amount) return included;
    if (slackWith < amount) return excluded;
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

  /** Moves an edge out of (direction 1) or back into (−1) the undecided ones. */
  #account(edge: number, state: number, direction: 1 | -1): void {
    const { source, target, amount } = this.#edgeAt(edge);
    addAt(this.#openOf, source, -direction);
    addAt(this.#openOf, target, -direction);
    addAt(this.#losses, source, -direction * amount);
    addAt(this.#gains, target, -direction * amount);
    if (state !== included) return;
    addAt(this.#residuals, source, direction * amount);
    addAt(this.#residuals, target, -direction * amount);
  }

  #includedCount(): number {
    return this.#states.reduce((count, state) => (state === included ? count + 1 : count), 0);
  }

  #edgeAt(edge: number): Edge {
    const found = this.#edges[edge];
    if (found === undefined) throw new RangeError(`no edge ${edge}`);
    return found;
  }
}

function addAt(values: number[], index: number, amount: number): void {
  values[index] = (values[index] ?? 0) + amount;
}
