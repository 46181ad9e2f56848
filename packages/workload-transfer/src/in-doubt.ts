import type { Transfer } from '@fair-bench/contract';
import { ComponentSolver, type Explanation } from './component-solver.ts';

/** Accounts that in-doubt operations connect, and what the database shows there beyond the ledger. */
export interface Component {
  readonly accounts: readonly number[];
  readonly operations: readonly Transfer[];
}

/**
 * Splits in-doubt operations into connected components of accounts: whether an operation was applied can
 * be judged in its component alone.
 */
export function componentsOf(operations: readonly Transfer[]): Component[] {
  const parents = new Map<number, number>();
  const rootOf = (account: number): number => {
    let root = account;
    for (let parent = parents.get(root) ?? root; parent !== root; parent = parents.get(root) ?? root) {
      // Path halving.
      const grandparent = parents.get(parent) ?? parent;
      parents.set(root, grandparent);
      root = grandparent;
    }
    return root;
  };
  for (const { source, target } of operations) {
    if (!parents.has(source)) parents.set(source, source);
    if (!parents.has(target)) parents.set(target, target);
    parents.set(rootOf(source), rootOf(target));
  }
  const components = new Map<number, { accounts: number[]; operations: Transfer[] }>();
  for (const account of parents.keys()) {
    const component = components.get(rootOf(account));
    if (component) component.accounts.push(account);
    else components.set(rootOf(account), { accounts: [account], operations: [] });
  }
  for (const operation of operations) components.get(rootOf(operation.source))?.operations.push(operation);
  return [...components.values()];
}

/**
 * Whether some subset of a component's operations has exactly these differences as its summed effect.
 * `differences` has found − expected of the accounts where it is not 0.
 */
export function explain(component: Component, differences: ReadonlyMap<number, bigint>): Explanation {
  const residuals: number[] = [];
  let total = 0n;
  for (const account of component.accounts) {
    const difference = differences.get(account) ?? 0n;
    total += difference;
    if (difference > safeMax || difference < -safeMax) return { status: 'unexplained' };
    residuals.push(Number(difference));
  }
  // Transfers move money between the component's accounts; they make none.
  if (total !== 0n) return { status: 'unexplained' };
  const sum = component.operations.reduce((amounts, operation) => amounts + operation.amount, 0n);
  if (sum > safeMax) {
    throw new Error(`transfer audit: in-doubt amounts sum to ${sum}, beyond 2^53 − 1; use smaller amounts`);
  }
  const vertices = new Map(component.accounts.map((account, vertex) => [account, vertex]));
  const edges = component.operations.map((operation) => ({
    source: vertices.get(operation.source) ?? 0,
    target: vertices.get(operation.target) ?? 0,
    amount: Number(operation.amount),
  }));
  return new ComponentSolver(residuals, edges).solve();
}

const safeMax = BigInt(Number.MAX_SAFE_INTEGER);
