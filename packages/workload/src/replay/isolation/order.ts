import { nothingAt } from '../../nothing-at.ts';
import type { Components, Graph } from './graph.ts';

/**
 * An order of a graph's components that its edges keep and that follows time where they leave a choice: what one
 * operation leads to lies near it, so that a search ends soon.
 */
export class DependencyOrder {
  readonly #graph: Graph;
  readonly #components: Components;
  /** By component. */
  readonly #place: Uint32Array;
  /** By node: the last search that met it. */
  readonly #met: Uint32Array;
  readonly #open: Uint32Array;
  #search = 0;

  constructor(graph: Graph, components: Components, sentUs: Uint32Array) {
    this.#graph = graph;
    this.#components = components;
    this.#place = placesOf(graph, components, sentUs);
    this.#met = new Uint32Array(graph.nodes);
    this.#open = new Uint32Array(graph.nodes);
  }

  /** Whether there is a path. */
  leads(from: number, to: number): boolean {
    const { of } = this.#components;
    if (of[from] === of[to]) return true;
    const end = this.#place[of[to] ?? nothingAt(to)] ?? nothingAt('its index');
    if ((this.#place[of[from] ?? nothingAt(from)] ?? nothingAt('its index')) > end) return false;
    const { first, to: targets } = this.#graph;
    this.#search += 1;
    let count = 1;
    this.#open[0] = from;
    this.#met[from] = this.#search;
    for (let at = 0; at < count; at += 1) {
      const node = this.#open[at] ?? nothingAt(at);
      for (
        let place = first[node] ?? nothingAt(node);
        place < (first[node + 1] ?? nothingAt(node + 1));
        place += 1
      ) {
        const other = targets[place] ?? nothingAt(place);
        if (other === to) return true;
        if (
          this.#met[other] === this.#search ||
          (this.#place[of[other] ?? nothingAt(other)] ?? nothingAt('its index')) > end
        )
          continue;
        this.#met[other] = this.#search;
        this.#open[count] = other;
        count += 1;
      }
    }
    return false;
  }
}

/** The nodes of a graph, in a topological order of its components that follows time where the edges leave a choice. */
export function orderOf(graph: Graph, components: Components, sentUs: Uint32Array): Uint32Array {
  const places = placesOf(graph, components, sentUs);
  const placeAt = (node: number): number => places[components.of[node] ?? nothingAt(node)] ?? nothingAt(node);
  const order = Uint32Array.from({ length: graph.nodes }, (_, node) => node);
  return order.sort(
    (a, b) => placeAt(a) - placeAt(b) || (sentUs[a] ?? nothingAt(a)) - (sentUs[b] ?? nothingAt(b)),
  );
}

/** A topological order (Kahn 1962) of the components that takes the one that was sent first. */
function placesOf(graph: Graph, { of, sizes }: Components, sentUs: Uint32Array): Uint32Array {
  const count = sizes.length;
  const sent = new Uint32Array(count).fill(0xffff_ffff);
  const waiting = new Uint32Array(count);
  const firstOf = new Uint32Array(count + 1);
  for (let node = 0; node < graph.nodes; node += 1) {
    const own = of[node] ?? nothingAt(node);
    sent[own] = Math.min(sent[own] ?? nothingAt(own), sentUs[node] ?? nothingAt(node));
    firstOf[own + 1] = (firstOf[own + 1] ?? nothingAt(own + 1)) + 1;
    for (
      let place = graph.first[node] ?? nothingAt(node);
      place < (graph.first[node + 1] ?? nothingAt(node + 1));
      place += 1
    ) {
      const other = of[graph.to[place] ?? nothingAt(place)] ?? nothingAt('its index');
      if (other !== own) waiting[other] = (waiting[other] ?? nothingAt(other)) + 1;
    }
  }
  for (let own = 0; own < count; own += 1)
    firstOf[own + 1] = (firstOf[own + 1] ?? nothingAt(own + 1)) + (firstOf[own] ?? nothingAt(own));
  const members = new Uint32Array(graph.nodes);
  const next = firstOf.slice();
  for (let node = 0; node < graph.nodes; node += 1) {
    const own = of[node] ?? nothingAt(node);
    members[next[own] ?? nothingAt(own)] = node;
    next[own] = (next[own] ?? nothingAt(own)) + 1;
  }
  const places = new Uint32Array(count);
  const ready = new Heap(count, sent);
  for (let own = 0; own < count; own += 1) if (waiting[own] === 0) ready.push(own);
  for (let place = 0; place < count; place += 1) {
    const own = ready.pop();
    places[own] = place;
    for (let at = firstOf[own] ?? nothingAt(own); at < (firstOf[own + 1] ?? nothingAt(own + 1)); at += 1) {
      const node = members[at] ?? nothingAt(at);
      for (
        let edge = graph.first[node] ?? nothingAt(node);
        edge < (graph.first[node + 1] ?? nothingAt(node + 1));
        edge += 1
      ) {
        const other = of[graph.to[edge] ?? nothingAt(edge)] ?? nothingAt('its index');
        if (other === own) continue;
        waiting[other] = (waiting[other] ?? nothingAt(other)) - 1;
        if (waiting[other] === 0) ready.push(other);
      }
    }
  }
  return places;
}

/** A binary heap of numbers, the one with the smallest key on top. */
class Heap {
  readonly #items: Uint32Array;
  readonly #keys: Uint32Array;
  #length = 0;

  constructor(capacity: number, keys: Uint32Array) {
    this.#items = new Uint32Array(capacity);
    this.#keys = keys;
  }

  push(item: number): void {
    let at = this.#length;
    this.#length += 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.#items[parent] ?? nothingAt(parent);
      if (this.#keyOf(above) <= this.#keyOf(item)) break;
      this.#items[at] = above;
      at = parent;
    }
    this.#items[at] = item;
  }

  pop(): number {
    const top = this.#items[0] ?? nothingAt(0);
    this.#length -= 1;
    const item = this.#items[this.#length] ?? nothingAt(this.#length);
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#length) break;
      const right = this.#items[child + 1] ?? nothingAt(child + 1);
      if (
        child + 1 < this.#length &&
        this.#keyOf(right) < this.#keyOf(this.#items[child] ?? nothingAt(child))
      )
        child += 1;
      const below = this.#items[child] ?? nothingAt(child);
      if (this.#keyOf(item) <= this.#keyOf(below)) break;
      this.#items[at] = below;
      at = child;
    }
    this.#items[at] = item;
    return top;
  }

  #keyOf(item: number): number {
    return this.#keys[item] ?? nothingAt(item);
  }
}
