import { nothingAt } from '../nothing-at.ts';
import { ComponentSolver } from './component-solver.ts';
import { Mismatches } from './growing.ts';

/** An operation in doubt, with its possible effects. */
export interface OperationInDoubt {
  readonly number: number;
  readonly session: number;
  readonly sequence: number;
  /** Sums by number, each once, and what it adds to them. */
  readonly adds: Map<number, bigint>;
  /** Rows that it inserts, by table and number. */
  readonly inserts: { readonly table: number; readonly row: number }[];
}

export interface DoubtsFinding {
  /** Those that were applied, by number; of an undecided group none. */
  readonly applied: ReadonlySet<number>;
  /** Groups of operations that cannot be decided, and their number. */
  readonly undecidedGroups: number;
  readonly undecidedOperations: number;
}

const safeMax = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Decides which operations in doubt were applied: completely or not at all. Inserted rows and observed values decide
 * some; the rest is a question of sums, for a solver that treats independent groups separately.
 */
export class Doubts {
  readonly operations: OperationInDoubt[] = [];
  readonly halves = new Mismatches('in doubt and half applied');
  readonly unexplained = new Mismatches('sums that no choice of the operations in doubt explains');

  /** Starts an operation's record. */
  open(session: number, sequence: number): OperationInDoubt {
    const operation = {
      number: this.operations.length,
      session,
      sequence,
      adds: new Map<number, bigint>(),
      inserts: [],
    };
    this.operations.push(operation);
    return operation;
  }

  /**
   * `differences` has found − expected, by the number of the sum, where it is not 0; `describe` names a sum.
   */
  decide(
    differences: Map<number, bigint>,
    present: (table: number, row: number) => boolean,
    visible: ReadonlySet<number>,
    describe: (sum: number) => string,
  ): DoubtsFinding {
    const applied = new Set<number>();
    const open: OperationInDoubt[] = [];
    for (const operation of this.operations) {
      const rows = operation.inserts.filter(({ table, row }) => present(table, row)).length;
      const shows = rows > 0 || visible.has(operation.number);
      const whole = rows === operation.inserts.length;
      if (shows && !whole) {
        this.halves.add(
          () =>
            `operation ${operation.sequence} of session ${operation.session}: ${rows} of ${operation.inserts.length} rows`,
        );
      }
      if (shows) {
        applied.add(operation.number);
        for (const [sum, amount] of operation.adds)
          differences.set(sum, (differences.get(sum) ?? 0n) - amount);
      } else if (operation.inserts.length === 0 && operation.adds.size > 0) {
        open.push(operation);
      }
    }
    return this.#solve(open, differences, applied, describe);
  }

  #solve(
    open: readonly OperationInDoubt[],
    differences: ReadonlyMap<number, bigint>,
    applied: Set<number>,
    describe: (sum: number) => string,
  ): DoubtsFinding {
    const touched = new Set(open.flatMap(({ adds }) => [...adds.keys()]));
    for (const [sum, difference] of differences) {
      if (difference !== 0n && !touched.has(sum)) this.#unexplained(sum, difference, describe);
    }
    let undecidedGroups = 0;
    let undecidedOperations = 0;
    for (const { sums, operations } of componentsOf(open)) {
      const explanation = explain(sums, operations, differences);
      if (explanation.status === 'explained')
        for (const place of explanation.applied) applied.add(operations[place]?.number ?? nothingAt(place));
      if (explanation.status === 'undecided') {
        undecidedGroups += 1;
        undecidedOperations += operations.length;
      }
      if (explanation.status !== 'unexplained') continue;
      for (const sum of sums) {
        const difference = differences.get(sum) ?? 0n;
        if (difference !== 0n) this.#unexplained(sum, difference, describe);
      }
      if (sums.every((sum) => (differences.get(sum) ?? 0n) === 0n))
        this.unexplained.add(() => describe(sums[0] ?? nothingAt(0)));
    }
    return { applied, undecidedGroups, undecidedOperations };
  }

  #unexplained(sum: number, difference: bigint, describe: (sum: number) => string): void {
    const sign = difference < 0n ? '−' : '+';
    const size = difference < 0n ? -difference : difference;
    this.unexplained.add(() => `${describe(sum)} (${sign}${size})`);
  }
}

interface Component {
  readonly sums: number[];
  readonly operations: OperationInDoubt[];
}

/** Operations that share no sum, directly or indirectly, are judged separately. */
function componentsOf(operations: readonly OperationInDoubt[]): Component[] {
  const parents = new Map<number, number>();
  const rootOf = (sum: number): number => {
    let root = sum;
    for (let parent = parents.get(root) ?? root; parent !== root; parent = parents.get(root) ?? root) {
      // Path halving.
      const grandparent = parents.get(parent) ?? parent;
      parents.set(root, grandparent);
      root = grandparent;
    }
    return root;
  };
  for (const { adds } of operations) {
    let first: number | null = null;
    for (const sum of adds.keys()) {
      if (!parents.has(sum)) parents.set(sum, sum);
      if (first === null) first = sum;
      else parents.set(rootOf(first), rootOf(sum));
    }
  }
  const components = new Map<number, Component>();
  for (const sum of parents.keys()) {
    const component = components.get(rootOf(sum));
    if (component === undefined) components.set(rootOf(sum), { sums: [sum], operations: [] });
    else component.sums.push(sum);
  }
  for (const operation of operations) {
    const [sum = 0] = operation.adds.keys();
    components.get(rootOf(sum))?.operations.push(operation);
  }
  return [...components.values()];
}

/** Whether some of a component's operations have exactly these differences as their effect. */
function explain(
  sums: readonly number[],
  operations: readonly OperationInDoubt[],
  differences: ReadonlyMap<number, bigint>,
): ReturnType<ComponentSolver['solve']> {
  const found = sums.map((sum) => differences.get(sum) ?? 0n);
  const totals = operations.map(({ adds }) =>
    [...adds.values()].reduce((total, amount) => total + amount, 0n),
  );
  // Moving between rows neither creates nor loses anything.
  const moved = totals.every((total) => total === 0n);
  if (moved && found.reduce((total, difference) => total + difference, 0n) !== 0n)
    return { status: 'unexplained' };
  const most = operations.reduce(
    (size, { adds }) =>
      [...adds.values()].reduce((own, amount) => own + (amount < 0n ? -amount : amount), size),
    0n,
  );
  if (most > safeMax) return { status: 'undecided' };
  const cells = new Map(sums.map((sum, cell) => [sum, cell]));
  const doubts = operations.map(({ adds }) => {
    const entries = [...adds].filter(([, amount]) => amount !== 0n);
    return {
      cells: entries.map(([sum]) => cells.get(sum) ?? 0),
      amounts: entries.map(([, amount]) => Number(amount)),
    };
  });
  return new ComponentSolver(found.map(Number), doubts).solve();
}
