import { nothingAt } from '../../nothing-at.ts';
import { Uint32List } from '../growing.ts';

/** Of a version’s writer: nobody since the row was seeded; a number that no operation has; not known. */
export const seeded = 0;
export const nobody = 0xffff_ffff;
export const unknown = 0xffff_fffe;

/** What became of an operation: it changed nothing, it was applied, or it may have been. */
export const refused = 0;
export const applied = 1;
export const inDoubt = 2;

/** A version that was in the database in the end. */
interface LastVersion {
  readonly object: number;
  readonly number: number;
  readonly writer: number;
}

/** How a history names its parts. */
interface HistoryNames {
  /** "operation 12 of session 3" */
  node(node: number): string;
  /** "item.version of row 17" */
  object(object: number): string;
}

/**
 * What every operation found of versions and wrote. Operations are numbered through as _nodes_; an _object_ is one
 * version of one row. Nodes are added in their order, each with the entries of its objects.
 */
export class History {
  /** By entry. `number` is what was found, counted from the seeded version; `writer` the node that wrote it, plus 1. */
  readonly node = new Uint32List();
  readonly object = new Uint32List();
  readonly number = new Uint32List();
  readonly writer = new Uint32List();
  /** By entry: how often the operation wrote the version. */
  readonly writes = new Uint32List();
  /** By node. */
  readonly state: Uint8Array;
  readonly sentUs: Uint32Array;
  readonly settledUs: Uint32Array;
  readonly nodes: number;
  readonly last: LastVersion[] = [];
  readonly names: HistoryNames;
  /** By node: its first entry; one more at the end. */
  readonly #first: Uint32Array;

  constructor(nodes: number, names: HistoryNames) {
    this.nodes = nodes;
    this.names = names;
    this.state = new Uint8Array(nodes);
    this.sentUs = new Uint32Array(nodes);
    this.settledUs = new Uint32Array(nodes);
    this.#first = new Uint32Array(nodes + 1);
  }

  addNode(node: number, state: number, [sentUs, settledUs]: readonly [number, number]): void {
    this.state[node] = state;
    this.sentUs[node] = sentUs;
    this.settledUs[node] = settledUs;
    this.#first[node] = this.node.length;
    this.#first[node + 1] = this.node.length;
  }

  /** An object of the node that was added last. */
  addEntry(
    node: number,
    object: number,
    found: readonly [number: number, writer: number],
    writes: number,
  ): void {
    this.node.push(node);
    this.object.push(object);
    this.number.push(found[0]);
    this.writer.push(found[1]);
    this.writes.push(writes);
    this.#first[node + 1] = this.node.length;
  }

  /** The entry by which a node wrote an object; −1 when it did not. */
  writeOf(node: number, object: number): number {
    for (
      let entry = this.#first[node] ?? nothingAt(node);
      entry < (this.#first[node + 1] ?? nothingAt(node + 1));
      entry += 1
    ) {
      if (this.object.at(entry) === object && this.writes.at(entry) > 0) return entry;
    }
    return -1;
  }
}
