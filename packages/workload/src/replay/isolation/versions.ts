import { nothingAt } from '../../nothing-at.ts';
import { Mismatches } from '../growing.ts';
import { Edges, rw, wr, ww } from './graph.ts';
import { type History, nobody, refused, seeded, unknown } from './history.ts';

/** Of more operations that replaced the same version only the first so many have edges from its readers. */
const replacersMax = 16;
const none = 0xffff_ffff;

/**
 * Which version each operation found and which it replaced. Every write names the version that it replaced, so the
 * versions of an object are a chain, or a tree whose branches are lost updates.
 */
export class Versions {
  readonly edges = new Edges();
  /** Found what an operation wrote that changed nothing. */
  readonly aborted = new Mismatches('G1a');
  /** Found what an operation wrote before it wrote the same version again. */
  readonly intermediate = new Mismatches('G1b');
  /** Replaced a version that it had not found. */
  readonly lost = new Mismatches('lost-update');
  /** Found a version that had been replaced by an operation acknowledged before it was sent. */
  readonly stale = new Mismatches('stale-read');
  /** What no isolation level permits. */
  readonly invented = new Mismatches('versions that nobody wrote');
  readonly missing = new Mismatches('applied writes of a version that are not there');
  readonly #history: History;
  /** By entry that writes: the largest number of its version that was seen, and its number if it replaced what it found. */
  readonly #number: Uint32Array;
  /** By entry: the version that it found, an entry that wrote it or one after the last for a seeded one; `none`. */
  readonly #source: Uint32Array;
  /** By object: the number of its seeded version. */
  readonly #seeds = new Map<number, number>();

  constructor(history: History) {
    this.#history = history;
    const entries = history.node.length;
    this.#number = new Uint32Array(entries);
    this.#source = new Uint32Array(entries).fill(none);
    this.#numberWrites();
    for (let entry = 0; entry < entries; entry += 1) this.#find(entry);
    this.#link();
  }

  /** The number of a write’s version is that of the one it found and one for each time that it wrote, or what was seen. */
  #numberWrites(): void {
    const { node, object, number, writer, writes, last } = this.#history;
    for (let entry = 0; entry < node.length; entry += 1) {
      const before = number.at(entry);
      const isKnown = before !== unknown && before !== nobody;
      if (isKnown && writes.at(entry) > 0) this.#raise(entry, before + writes.at(entry));
    }
    for (let entry = 0; entry < node.length; entry += 1) {
      this.#seen(object.at(entry), number.at(entry), writer.at(entry));
    }
    for (const each of last) this.#seen(each.object, each.number, each.writer);
  }

  #seen(object: number, number: number, writer: number): void {
    if (writer === seeded || writer === nobody || writer === unknown || number === nobody) return;
    const write = this.#history.writeOf(writer - 1, object);
    if (write !== -1) this.#raise(write, number);
  }

  #raise(entry: number, number: number): void {
    this.#number[entry] = Math.max(this.#number[entry] ?? nothingAt(entry), number);
  }

  /** Judges what an entry found. */
  #find(entry: number): void {
    const { node, object, number, writer } = this.#history;
    const [own, found, by] = [object.at(entry), number.at(entry), writer.at(entry)];
    if (by === unknown) return;
    if (by === seeded && found === 0) {
      this.#source[entry] = this.#seedOf(own);
      return;
    }
    const write = by === seeded || by === nobody ? -1 : this.#history.writeOf(by - 1, own);
    const last = write === -1 ? none : (this.#number[write] ?? nothingAt(write));
    if (write === -1 || by - 1 === node.at(entry) || found <= last - this.#history.writes.at(write)) {
      this.invented.add(() => this.#describe(entry));
      return;
    }
    if (this.#history.state[by - 1] === refused) {
      this.aborted.add(() => this.#describe(entry));
      return;
    }
    this.edges.add(by - 1, node.at(entry), wr);
    if (found < last) this.intermediate.add(() => this.#describe(entry));
    else this.#source[entry] = write;
  }

  /** Who replaced what who had found; and whether the last version of each object is one that nobody replaced. */
  #link(): void {
    const { node, writes, settledUs, sentUs } = this.#history;
    const finders = this.#byVersion();
    const last = new Set<number>();
    for (const { object, number, writer } of this.#history.last) {
      const isSeed = writer === seeded && number === 0;
      const write =
        isSeed || writer === seeded || writer === nobody ? -1 : this.#history.writeOf(writer - 1, object);
      if (isSeed) last.add(this.#seeds.get(object) ?? none);
      else if (write === -1 || this.#number[write] !== number) {
        this.invented.add(() => `${this.#history.names.object(object)} is ${number} in the end`);
      } else last.add(write);
    }
    for (const [version, entries] of finders) {
      const replacers = entries.filter((entry) => writes.at(entry) > 0);
      const [first] = replacers;
      if (first === undefined) continue;
      if (last.has(version)) this.missing.add(() => this.#describe(first));
      this.#countLost(replacers);
      for (const replacer of replacers.slice(0, replacersMax)) {
        const by = node.at(replacer);
        if (version < node.length) this.edges.add(node.at(version), by, ww);
        // Of two that replaced the same version the order is not known: that is a lost update, and no cycle beside it.
        for (const entry of entries) if (writes.at(entry) === 0) this.edges.add(node.at(entry), by, rw);
      }
      const endedUs = replacers.reduce((us, entry) => Math.min(us, settledUs[node.at(entry)] ?? none), none);
      for (const entry of entries) {
        if ((sentUs[node.at(entry)] ?? nothingAt(node.at(entry))) > endedUs)
          this.stale.add(() => this.#describe(entry));
      }
    }
  }

  /** Counts operations that replaced what they had not found: late writers, and all but one that replaced the same version. */
  #countLost(replacers: readonly number[]): void {
    const { number, writes } = this.#history;
    const late = replacers.filter(
      (entry) => (this.#number[entry] ?? nothingAt(entry)) > number.at(entry) + writes.at(entry),
    );
    const others = replacers.filter((entry) => !late.includes(entry)).slice(1);
    for (const entry of [...late, ...others]) this.lost.add(() => this.#describe(entry));
  }

  /** The entries that found each version that somebody replaced. */
  #byVersion(): Map<number, number[]> {
    const { node, writes } = this.#history;
    const finders = new Map<number, number[]>();
    for (let entry = 0; entry < node.length; entry += 1) {
      const source = this.#source[entry] ?? none;
      if (source !== none && writes.at(entry) > 0 && !finders.has(source)) finders.set(source, []);
    }
    for (let entry = 0; entry < node.length; entry += 1) {
      finders.get(this.#source[entry] ?? none)?.push(entry);
    }
    return finders;
  }

  #seedOf(object: number): number {
    const known = this.#seeds.get(object);
    if (known !== undefined) return known;
    const seed = this.#history.node.length + this.#seeds.size;
    this.#seeds.set(object, seed);
    return seed;
  }

  #describe(entry: number): string {
    const { node, object, number, writer } = this.#history;
    const by = writer.at(entry);
    const whose =
      by === seeded ? 'seeded' : by === nobody ? 'of no operation' : `of ${this.#history.names.node(by - 1)}`;
    return `${this.#history.names.node(node.at(entry))} found version ${number.at(entry)} ${whose} as ${this.#history.names.object(object.at(entry))}`;
  }
}
