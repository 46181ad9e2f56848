import { nothingAt } from '../../nothing-at.ts';
import type { Workload } from '../../resolved.ts';
import type { BoundOperation, BoundRow } from '../bind.ts';
import * as replay from '../session-replay.ts';
import type { TableState } from '../table-state.ts';
import type { Trial } from '../trial.ts';
import { applied, History, inDoubt, nobody, refused, seeded, unknown } from './history.ts';

/** A version that an operation finds, and perhaps writes. */
interface Touch {
  readonly row: BoundRow;
  readonly column: number;
  readonly versionField: number;
  readonly writerField: number;
  readonly writes: number;
}

/** Whether a workload has versions to observe. */
export const hasVersions = ({ tables }: Workload): boolean =>
  tables.some(({ columns }) => columns.some(({ writer }) => writer !== undefined));

/** Takes the history of a trial's versions from its log and its tables. */
export class Collector {
  readonly history: History;
  /** Applied operations that returned what they found. */
  operations = 0;
  readonly #trial: Trial;
  /** By session: the node of its first operation. */
  readonly #base: readonly number[];
  readonly #touches: readonly (readonly Touch[])[];
  /** By table and column: its first object. */
  readonly #objects: readonly { readonly table: number; readonly column: number; readonly first: number }[];

  /** Draws all operations again. */
  constructor(trial: Trial) {
    this.#trial = trial;
    let nodes = 0;
    this.#base = trial.sessions.map(({ log }) => (nodes += log.drawn) - log.drawn);
    this.#touches = trial.follows.operations.map((bound) => touchesOf(bound));
    this.#objects = objectsOf(trial);
    this.history = new History(nodes, {
      node: (node) => this.#nameNode(node),
      object: (object) => this.#nameObject(object),
    });
    trial.each((replayed, bound, own) => this.#note(replayed, bound, own));
  }

  /** A row as it is after the trial. */
  last(state: TableState, row: number, values: readonly unknown[]): void {
    const { table } = state.followed;
    for (const [column, { writer }] of table.columns.entries()) {
      if (writer === undefined) continue;
      const [found, by] = [values[column], values[writer]];
      if (typeof found !== 'bigint' || typeof by !== 'bigint') continue;
      this.history.last.push({
        object: this.#objectOf(table.number, column, row),
        number: counted(found - state.initial(column, row)),
        writer: this.#writerOf(Number(BigInt.asUintN(32, by >> 32n)), Number(BigInt.asUintN(32, by))),
      });
    }
  }

  #note(replayed: replay.Replayed, { operation }: BoundOperation, own: replay.SessionReplay): void {
    const node = (this.#base[replayed.session] ?? nothingAt(replayed.session)) + replayed.sequence;
    const isApplied = replayed.status === replay.applied;
    const state = isApplied ? applied : replayed.status === replay.inDoubt ? inDoubt : refused;
    this.history.addNode(node, state, [replayed.sentUs, replayed.settledUs]);
    const at = isApplied ? own.fieldsAt(replayed.sequence) : -1;
    const touches = this.#touches[operation.number] ?? nothingAt(operation.number);
    for (const touch of touches) {
      this.#touch(node, touch, replayed, at === -1 ? null : own.log.fields.subarray(at));
    }
    if (at !== -1 && touches.length > 0) this.operations += 1;
  }

  #touch(node: number, touch: Touch, { values }: replay.Replayed, fields: Uint32Array | null): void {
    const { row, column, versionField, writerField, writes } = touch;
    const state = this.#trial.tables[row.table.number];
    const number = state?.rowAt(row.keys, values, 0) ?? -1;
    // Who changed nothing and said nothing has no part in it.
    if (state === undefined || number === -1 || (fields === null && writes === 0)) return;
    const object = this.#objectOf(row.table.number, column, number);
    if (fields === null) {
      this.history.addEntry(node, object, [unknown, unknown], writes);
      return;
    }
    const [high = 0, low = 0] = fields.subarray(2 * versionField);
    const version = BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));
    const [session = 0, sequence = 0] = fields.subarray(2 * writerField);
    const found = [
      counted(version - state.initial(column, number)),
      this.#writerOf(session, sequence),
    ] as const;
    this.history.addEntry(node, object, found, writes);
  }

  #objectOf(table: number, column: number, row: number): number {
    const found = this.#objects.find((each) => each.table === table && each.column === column);
    return (found?.first ?? 0) + row;
  }

  /** The node of an operation’s number, session · 2³² + sequence, plus 1. */
  #writerOf(session: number, sequence: number): number {
    // Minus 1: the row is as it was seeded.
    if (session === 0xffff_ffff && sequence === 0xffff_ffff) return seeded;
    const base = this.#base[session];
    const drawn = this.#trial.sessions[session]?.log.drawn ?? 0;
    return base === undefined || sequence >= drawn ? nobody : base + sequence + 1;
  }

  #nameNode(node: number): string {
    const session = this.#base.findLastIndex((base) => base <= node);
    return `operation ${node - (this.#base[session] ?? nothingAt(session))} of session ${session}`;
  }

  #nameObject(object: number): string {
    const found = this.#objects.findLast(({ first }) => first <= object);
    const state = this.#trial.tables[found?.table ?? 0];
    return state?.describe(object - (found?.first ?? 0), found?.column ?? 0) ?? '';
  }
}

function counted(raised: bigint): number {
  return raised < 0n || raised >= 2n ** 32n ? nobody : Number(raised);
}

function objectsOf({ tables, check }: Trial) {
  let objects = 0;
  const all = tables.flatMap(({ followed: { table } }) =>
    table.columns.flatMap(({ writer }, column) => {
      if (writer === undefined) return [];
      objects += table.rows;
      return [{ table: table.number, column, first: objects - table.rows }];
    }),
  );
  if (objects < 2 ** 32) return all;
  throw new Error(`${check.name}: ${objects} versions, the replay can follow 2^32; use fewer rows`);
}

/** Found by their names: the description’s check has seen that each version is returned with its writer. */
function touchesOf({ operation, found }: BoundOperation): readonly Touch[] {
  const { description } = operation;
  const fields = description.returns.kind === 'fields' ? description.returns.fields : [];
  return fields.flatMap(({ of = '' }, versionField) => {
    const bound = found[versionField] ?? null;
    const writer = bound?.row.table.columns[bound.column]?.writer;
    if (bound === null || writer === undefined) return [];
    const { row, column } = bound;
    const writerName = `${of.split('.')[0]}.${row.table.columns[writer]?.name}`;
    const writerField = fields.findIndex((field) => field.of === writerName);
    const writes = description.effects.filter(
      (effect) => effect.kind === 'add' && effect.target === of,
    ).length;
    return [{ row, column, versionField, writerField, writes }];
  });
}
