import { nothingAt } from '../../nothing-at.ts';
import { Mismatches } from '../growing.ts';
import {
  type Components,
  componentsOf,
  cyclicCount,
  dependencies,
  type Edges,
  Graph,
  nameOfKind,
  rw,
  ww,
} from './graph.ts';
import { DependencyOrder } from './order.ts';

/** Operations as nodes, with the dependencies between them. */
export interface Dependencies {
  readonly nodes: number;
  readonly edges: Edges;
  /** By node, microseconds. */
  readonly sentUs: Uint32Array;
  readonly describe: (node: number) => string;
}

/**
 * The cycles of the dependencies, named as Adya (2000) does: G0 of writes alone, G1c of writes and reads, G-single of
 * these and one anti-dependency (rw), G2-item of two or more. Counted are components for the first two, and
 * anti-dependencies that close a cycle for the others.
 */
export class Cycles {
  readonly writes = new Mismatches('G0');
  readonly flow = new Mismatches('G1c');
  readonly single = new Mismatches('G-single');
  readonly item = new Mismatches('G2-item');
  /** Of all dependencies. */
  readonly components: Components;
  readonly #given: Dependencies;

  constructor(given: Dependencies) {
    this.#given = given;
    const all = new Graph(given.nodes, given.edges, dependencies | rw);
    this.components = componentsOf(all);
    if (cyclicCount(this.components) === 0) return;
    const flow = new Graph(given.nodes, given.edges, dependencies);
    const flowing = componentsOf(flow);
    this.#countFlow(flow, flowing);
    this.#countAnti(all, flow, flowing);
  }

  /** A component of writes and reads is a G0 where writes alone make a cycle of it, else a G1c. */
  #countFlow(flow: Graph, flowing: Components): void {
    if (cyclicCount(flowing) === 0) return;
    const { nodes, edges } = this.#given;
    const writes = new Graph(nodes, edges, ww);
    const writing = componentsOf(writes);
    const isOfWrites = new Set<number>();
    const seen = new Set<number>();
    for (let node = 0; node < nodes; node += 1) {
      const component = writing.of[node] ?? nothingAt(node);
      if (writing.sizes.at(component) < 2) continue;
      isOfWrites.add(flowing.of[node] ?? nothingAt(node));
      if (seen.has(component)) continue;
      seen.add(component);
      this.writes.add(() => this.#cycleFrom(writes, writing, node));
    }
    for (let node = 0; node < nodes; node += 1) {
      const component = flowing.of[node] ?? nothingAt(node);
      if (flowing.sizes.at(component) < 2 || isOfWrites.has(component)) continue;
      isOfWrites.add(component);
      this.flow.add(() => this.#cycleFrom(flow, flowing, node));
    }
  }

  /** An anti-dependency within a component is on a cycle: with dependencies alone, or with further ones of its kind. */
  #countAnti(all: Graph, flow: Graph, flowing: Components): void {
    const order = new DependencyOrder(flow, flowing, this.#given.sentUs);
    for (let from = 0; from < all.nodes; from += 1) {
      const component = this.components.of[from];
      if (this.components.sizes.at(component ?? 0) < 2) continue;
      for (
        let place = all.first[from] ?? nothingAt(from);
        place < (all.first[from + 1] ?? nothingAt(from + 1));
        place += 1
      ) {
        const to = all.to[place] ?? nothingAt(place);
        if (all.kind[place] !== rw || this.components.of[to] !== component) continue;
        if (order.leads(to, from)) this.single.add(() => this.#closed(flow, from, to));
        else this.item.add(() => this.#closed(all, from, to));
      }
    }
  }

  #cycleFrom(graph: Graph, components: Components, node: number): string {
    for (
      let place = graph.first[node] ?? nothingAt(node);
      place < (graph.first[node + 1] ?? nothingAt(node + 1));
      place += 1
    ) {
      const to = graph.to[place] ?? nothingAt(place);
      if (components.of[to] !== components.of[node]) continue;
      const { describe } = this.#given;
      return `${describe(node)} ${nameOfKind(graph.kind[place] ?? nothingAt(place))} → ${shortestPath(graph, to, node, describe)}`;
    }
    return this.#given.describe(node);
  }

  #closed(graph: Graph, from: number, to: number): string {
    const { describe } = this.#given;
    return `${describe(from)} rw → ${shortestPath(graph, to, from, describe)}`;
  }
}

/** "operation 3 of session 1 wr → operation 4 of session 2" */
export function shortestPath(
  graph: Graph,
  from: number,
  to: number,
  describe: (node: number) => string,
): string {
  const before = new Map<number, readonly [node: number, kind: number]>();
  const queue = [from];
  for (let at = 0; at < queue.length && !before.has(to); at += 1) {
    const node = queue[at] ?? nothingAt(at);
    for (
      let place = graph.first[node] ?? nothingAt(node);
      place < (graph.first[node + 1] ?? nothingAt(node + 1));
      place += 1
    ) {
      const other = graph.to[place] ?? nothingAt(place);
      if (other === from || before.has(other)) continue;
      before.set(other, [node, graph.kind[place] ?? nothingAt(place)]);
      queue.push(other);
    }
  }
  let text = describe(to);
  for (let step = before.get(to); step !== undefined; step = before.get(step[0])) {
    text = `${describe(step[0])} ${nameOfKind(step[1])} → ${text}`;
  }
  return text;
}
