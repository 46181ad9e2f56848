import { nothingAt } from '../nothing-at.ts';
import { Mismatches } from '../replay/growing.ts';
import {
  componentsOf,
  cyclicCount,
  dependencies,
  Edges,
  Graph,
  rw,
  wr,
  ww,
} from '../replay/isolation/graph.ts';
import { History, seeded, unknown } from '../replay/isolation/history.ts';
import { observe, type Observed } from '../replay/isolation/observe.ts';
import { orderOf } from '../replay/isolation/order.ts';
import { touchKinds, type TouchLog } from './touches.ts';

/** The operations of a trial as nodes. */
export interface Nodes {
  readonly count: number;
  /** As a history has them. */
  readonly state: Uint8Array;
  /** Microseconds. */
  readonly sentUs: Uint32Array;
  readonly settledUs: Uint32Array;
  /** Whether the operation writes. */
  readonly writes: Uint8Array;
  readonly describe: (node: number) => string;
}

/** An order of operations that all chains permit. */
export interface ChainOrder extends Observed {
  /** Nodes, first to last. */
  readonly order: Uint32Array;
  /** By node, whether it only read and is on a cycle: no one moment has what it found. Null where none is. */
  readonly torn: Uint8Array | null;
  readonly lost: Mismatches;
  readonly invented: Mismatches;
}

const { wrote, read, left, saw, after, before } = touchKinds;

/** The writes of one object by the number that they found, or left. */
interface Writes {
  /** Places in the log, by what each left, ascending. */
  readonly places: number[];
}

/**
 * Orders operations by what they found of each chain: each comes after the one that left what it found, and before the one that
 * replaced it (write, read and anti-dependencies; A. Adya, PhD thesis, MIT 1999). `mayBeMissing`: operations in doubt may have left what
 * nobody says that he left.
 */
export function orderByChains(nodes: Nodes, touches: TouchLog, mayBeMissing: boolean): ChainOrder {
  const links = new ChainLinks(nodes, touches, mayBeMissing);
  const observed = observe(links.history, links.edges);
  const { edges } = observed;
  const { lost, invented } = links;
  const all = new Graph(nodes.count, edges, dependencies | rw);
  const components = componentsOf(all);
  if (cyclicCount(components) === 0) {
    return { ...observed, order: orderOf(all, components, nodes.sentUs), torn: null, lost, invented };
  }
  const torn = new Uint8Array(nodes.count);
  for (let node = 0; node < nodes.count; node += 1) {
    const size = components.sizes.at(components.of[node] ?? nothingAt(node));
    if (size > 1 && nodes.writes[node] === 0) torn[node] = 1;
  }
  // Within a cycle what an operation found comes before it; what replaced that need not come after it.
  const flow = new Graph(nodes.count, edges, dependencies);
  const places = new Uint32Array(nodes.count);
  for (const [place, node] of orderOf(flow, componentsOf(flow), nodes.sentUs).entries()) places[node] = place;
  const order = orderOf(all, components, places);
  return { ...observed, order, torn, lost, invented };
}

/** The chains of a log as a history, and what they say beside it. */
class ChainLinks {
  readonly history: History;
  readonly edges = new Edges();
  readonly lost = new Mismatches('operations that replaced what another had replaced before (lost updates)');
  readonly invented = new Mismatches('operations that found a number which nobody left');
  readonly #touches: TouchLog;
  readonly #nodes: Nodes;
  readonly #writes = new Map<number, Writes>();

  constructor(nodes: Nodes, touches: TouchLog, mayBeMissing: boolean) {
    this.#nodes = nodes;
    this.#touches = touches;
    this.history = new History(nodes.count, {
      node: nodes.describe,
      object: (object) => touches.objects.describe(object),
    });
    this.#collect();
    this.#fill(mayBeMissing);
    for (let place = 0; place < touches.node.length; place += 1) this.#link(place);
  }

  #collect(): void {
    const { node, object, kind } = this.#touches;
    for (let place = 0; place < node.length; place += 1) {
      const isWrite = kind.at(place) === wrote || kind.at(place) === left;
      if (!isWrite) continue;
      const own = object.at(place);
      const known = this.#writes.get(own);
      if (known === undefined) this.#writes.set(own, { places: [place] });
      else known.places.push(place);
    }
    for (const [own, { places }] of this.#writes) {
      places.sort((a, b) => this.#leaves(a) - this.#leaves(b));
      for (let at = 1; at < places.length; at += 1) this.#compare(own, places[at - 1] ?? 0, places[at] ?? 0);
    }
  }

  #compare(object: number, one: number, other: number): void {
    const { kind, objects } = this.#touches;
    const isLost =
      kind.at(other) === wrote
        ? this.#found(other) < this.#leaves(one)
        : this.#leaves(other) <= this.#leaves(one);
    if (!isLost) return;
    this.lost.add(() => {
      const both = `${this.#nameOf(one)} and ${this.#nameOf(other)}`;
      return `${both} both found ${this.#found(other)} of ${objects.describe(object)}`;
    });
  }

  /** Every operation with what it found; its writer is the operation that left that number. */
  #fill(mayBeMissing: boolean): void {
    const { node, object, kind, objects } = this.#touches;
    const nodes = this.#nodes;
    const { count, state, sentUs, settledUs } = nodes;
    let place = 0;
    for (let own = 0; own < count; own += 1) {
      this.history.addNode(own, state[own] ?? 0, [sentUs[own] ?? 0, settledUs[own] ?? 0]);
      const found = new Map<number, { readonly number: number; leaves: number }>();
      for (; place < node.length && node.at(place) === own; place += 1) {
        if (kind.at(place) !== wrote && kind.at(place) !== read) continue;
        const known = found.get(object.at(place));
        // Of a row that it wrote twice, it found the second time what it had left.
        if (known?.leaves === this.#found(place)) known.leaves = this.#leaves(place);
        else if (known === undefined)
          found.set(object.at(place), { number: this.#found(place), leaves: this.#leaves(place) });
        else this.invented.add(() => `${nodes.describe(own)} found two numbers of one row`);
      }
      for (const [of, { number, leaves }] of found) {
        const first = objects.first[of] ?? nothingAt(of);
        const by = number === first ? seeded : this.#leaverOf(of, number);
        if (by === unknown && !mayBeMissing)
          this.invented.add(() => `${nodes.describe(own)} found ${number} of ${objects.describe(of)}`);
        this.history.addEntry(own, of, [number < first ? unknown : number - first, by], leaves - number);
      }
    }
  }

  /** The node that left a number, plus 1. */
  #leaverOf(object: number, number: number): number {
    const place = this.#placeOf(object, number);
    return place === -1 ? unknown : this.#touches.node.at(place) + 1;
  }

  /** The first write that left at least this number; −1 without one, or where it left a larger one. */
  #placeOf(object: number, number: number): number {
    const at = this.#firstFrom(object, number);
    const place = this.#writes.get(object)?.places[at];
    return place === undefined || this.#leaves(place) !== number ? -1 : place;
  }

  /** Among the writes of an object in order, the first that left at least this number. */
  #firstFrom(object: number, number: number): number {
    const places = this.#writes.get(object)?.places ?? [];
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#leaves(places[middle] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** What is no version of a row. */
  #link(place: number): void {
    const { node, object, kind } = this.#touches;
    const [own, of, number] = [node.at(place), object.at(place), this.#found(place)];
    const places = this.#writes.get(of)?.places ?? [];
    const what = kind.at(place);
    const writer = (at: number): number | null => {
      const write = places[at];
      return write === undefined ? null : node.at(write);
    };
    const join = (from: number | null, to: number | null, as: number): void => {
      if (from !== null && to !== null) this.edges.add(from, to, as);
    };
    if (what === saw) {
      const at = this.#firstFrom(of, number);
      const isThere = writer(at) !== null && this.#placeOf(of, number) !== -1;
      if (isThere) join(writer(at), own, wr);
      join(own, writer(isThere ? at + 1 : at), rw);
    } else if (what === left) {
      const at = this.#firstFrom(of, number);
      if (at > 0) join(writer(at - 1), own, ww);
    } else if (what === after && number > (this.#touches.objects.first[of] ?? nothingAt(of))) {
      join(writer(this.#firstFrom(of, number)), own, wr);
    } else if (what === before) {
      join(own, writer(this.#firstFrom(of, number)), rw);
    }
  }

  #found(place: number): number {
    return Number(this.#touches.number.at(place));
  }

  #leaves(place: number): number {
    return Number(this.#touches.leaves.at(place));
  }

  #nameOf(place: number): string {
    return this.#nodes.describe(this.#touches.node.at(place));
  }
}
