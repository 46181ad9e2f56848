import { nothingAt } from '../../nothing-at.ts';
import { Uint32List } from '../growing.ts';

/**
 * Why one operation comes after another (Adya 2000): it replaced its version, it found its version, or it replaced a
 * version that the other one had found.
 */
export const ww = 1;
export const wr = 2;
export const rw = 4;
export const dependencies = ww | wr;
/** Not a dependency: it was sent after the other was acknowledged. */
export const time = 8;

const names: Readonly<Record<number, string>> = { [ww]: 'ww', [wr]: 'wr', [rw]: 'rw', [time]: 'time' };
export const nameOfKind = (kind: number): string => names[kind] ?? nothingAt(kind);

/** Edges in the order in which they were added. */
export class Edges {
  readonly from = new Uint32List();
  readonly to = new Uint32List();
  readonly kind = new Uint32List();

  add(from: number, to: number, kind: number): void {
    if (from === to) return;
    this.from.push(from);
    this.to.push(to);
    this.kind.push(kind);
  }

  get length(): number {
    return this.from.length;
  }
}

/** The edges of some kinds, by the node that they leave. */
export class Graph {
  readonly nodes: number;
  /** By node: its first place in `to`; one more at the end. */
  readonly first: Uint32Array;
  readonly to: Uint32Array;
  readonly kind: Uint8Array;

  constructor(nodes: number, edges: Edges, kinds: number) {
    this.nodes = nodes;
    this.first = new Uint32Array(nodes + 1);
    for (let edge = 0; edge < edges.length; edge += 1) {
      if ((edges.kind.at(edge) & kinds) === 0) continue;
      const from = edges.from.at(edge);
      this.first[from + 1] = (this.first[from + 1] ?? nothingAt(from + 1)) + 1;
    }
    for (let node = 0; node < nodes; node += 1) {
      this.first[node + 1] =
        (this.first[node + 1] ?? nothingAt(node + 1)) + (this.first[node] ?? nothingAt(node));
    }
    this.to = new Uint32Array(this.first[nodes] ?? nothingAt(nodes));
    this.kind = new Uint8Array(this.to.length);
    const next = this.first.slice();
    for (let edge = 0; edge < edges.length; edge += 1) {
      const kind = edges.kind.at(edge);
      if ((kind & kinds) === 0) continue;
      const from = edges.from.at(edge);
      const place = next[from] ?? nothingAt(from);
      next[from] = place + 1;
      this.to[place] = edges.to.at(edge);
      this.kind[place] = kind;
    }
  }
}

/** The strongly connected components of a graph: two nodes of one are on a cycle. */
export interface Components {
  /** By node. */
  readonly of: Uint32Array;
  /** By component: its number of nodes. */
  readonly sizes: Uint32List;
}

const unseen = 0xffff_ffff;

/** R. Tarjan: Depth-first search and linear graph algorithms, SIAM J. Comput. 1(2), 1972; without recursion. */
export function componentsOf({ nodes, first, to }: Graph): Components {
  const of = new Uint32Array(nodes).fill(unseen);
  const index = new Uint32Array(nodes).fill(unseen);
  const low = new Uint32Array(nodes);
  const next = new Uint32Array(nodes);
  const open = new Uint32Array(nodes);
  const path = new Uint32Array(nodes);
  const sizes = new Uint32List();
  let [indexed, opened] = [0, 0];
  for (let root = 0; root < nodes; root += 1) {
    if (index[root] !== unseen) continue;
    let depth = 0;
    path[0] = root;
    while (depth >= 0) {
      const node = path[depth] ?? nothingAt(depth);
      if (index[node] === unseen) {
        index[node] = indexed;
        low[node] = indexed;
        indexed += 1;
        next[node] = first[node] ?? nothingAt(node);
        open[opened] = node;
        opened += 1;
      }
      const place = next[node] ?? nothingAt(node);
      if (place < (first[node + 1] ?? nothingAt(node + 1))) {
        next[node] = place + 1;
        const other = to[place] ?? nothingAt(place);
        if (index[other] === unseen) path[(depth += 1)] = other;
        else if (of[other] === unseen)
          low[node] = Math.min(low[node] ?? nothingAt(node), index[other] ?? nothingAt(other));
        continue;
      }
      if (low[node] === index[node]) {
        const number = sizes.length;
        let size = 0;
        let member: number;
        do {
          opened -= 1;
          size += 1;
          member = open[opened] ?? nothingAt(opened);
          of[member] = number;
        } while (member !== node);
        sizes.push(size);
      }
      depth -= 1;
      if (depth < 0) continue;
      const parent = path[depth] ?? nothingAt(depth);
      low[parent] = Math.min(low[parent] ?? nothingAt(parent), low[node] ?? nothingAt(node));
    }
  }
  return { of, sizes };
}

/** The components of at least two nodes. */
export function cyclicCount({ sizes }: Components): number {
  let count = 0;
  for (let number = 0; number < sizes.length; number += 1) if (sizes.at(number) > 1) count += 1;
  return count;
}
