import { nothingAt } from '../nothing-at.ts';
import type { Value, Values } from '@fair-bench/contract';
import { createSlots, createStream } from '../compile.ts';
import type { Workload } from '../resolved.ts';
import { KeptFields } from './kept-replies.ts';
import { changeSeen, neverUs, type SessionOutcomes } from './log-format.ts';

export const applied = 0;
export const declined = 1;
export const fault = 2;
export const inDoubt = 3;

/** What a replay supposes of an operation that was acknowledged as applied. */
export type Supposed = 'applied' | 'in-doubt' | 'undone' | 'applied-maybe-twice';
export type Suppose = (
  operation: Pick<Replayed, 'session' | 'sequence' | 'sentUs' | 'settledUs'>,
) => Supposed;

/** One operation of a trial, drawn again, with its log entry; the same object for every operation. */
export interface Replayed {
  session: number;
  sequence: number;
  operation: number;
  values: Values;
  /** `applied`, `declined`, `fault` or `inDoubt`. */
  status: number;
  /** Whether it is supposed that it was applied once more. */
  maybeTwice: boolean;
  /** The number of the decline reason or the fault code. */
  code: number;
  sentUs: number;
  settledUs: number;
}

/** A session's log with entries indexed by the operation's number. */
export class SessionReplay {
  readonly log: SessionOutcomes;
  readonly #workload: Workload;
  readonly #suppose: Suppose | null;
  /** Of each operation: 0 is applied; else its number in the workload, its status and its code. */
  readonly #outcomes: Uint32Array;
  readonly #readOf: Uint32Array | null;
  readonly #scanOf: Uint32Array | null;
  readonly #fieldsOf: Uint32Array | null;
  readonly #kept: KeptFields;
  /** Applied operations that returned a row as another connection had changed it. */
  readonly #changes = new Set<number>();
  declinedCount = 0;
  faultCount = 0;
  inDoubtCount = 0;

  constructor(workload: Workload, log: SessionOutcomes, suppose: Suppose | null = null) {
    this.#workload = workload;
    this.#suppose = suppose;
    this.#kept = new KeptFields(workload);
    this.log = log;
    this.#outcomes = new Uint32Array(log.drawn);
    const { exceptions } = log;
    for (let at = 0; at < exceptions.length; at += 2) {
      const sequence = exceptions[at] ?? nothingAt(at);
      const word = exceptions[at + 1] ?? nothingAt(at + 1);
      const status = ((word >>> 8) & 0xff) + 1;
      if (this.#outcomes[sequence] !== 0 || this.#changes.has(sequence))
        throw this.#corrupt(sequence, 'settled twice');
      if (status === changeSeen + 1) {
        this.#changes.add(sequence);
        continue;
      }
      if (status > inDoubt) throw this.#corrupt(sequence, `ended in no known way (${status})`);
      this.#outcomes[sequence] = ((word & 0xffff_0000) | (status << 8) | (word & 0xff)) >>> 0;
      if (status === declined) this.declinedCount += 1;
      if (status === fault) this.faultCount += 1;
      if (status === inDoubt) this.inDoubtCount += 1;
    }
    this.#readOf = log.reads.length === 0 ? null : fixedEntries(log.drawn, log.reads, 3);
    this.#scanOf = log.scans.length === 0 ? null : sizedEntries(log.drawn, log.scans);
    this.#fieldsOf = log.fields.length === 0 ? null : sizedEntries(log.drawn, log.fields);
  }

  /** Draws every operation again, in the original order. */
  each(sessions: number, visit: (replayed: Replayed, replay: SessionReplay) => void): void {
    const { session, drawn } = this.log;
    const stream = createStream(this.#workload, { session, sessions });
    const slots = createSlots(this.#workload);
    const replayed: Replayed = {
      session,
      sequence: 0,
      operation: 0,
      values: [],
      status: applied,
      maybeTwice: false,
      code: 0,
      sentUs: 0,
      settledUs: 0,
    };
    for (let sequence = 0; sequence < drawn; sequence += 1) {
      const operation = stream.next(slots);
      const outcome = this.#outcomes[sequence] ?? nothingAt(sequence);
      replayed.sequence = sequence;
      replayed.operation = operation;
      const values = slots[operation] ?? nothingAt(operation);
      this.#fill(operation, sequence, values);
      replayed.values = values;
      if (outcome !== 0 && outcome >>> 16 !== operation)
        throw this.#corrupt(
          sequence,
          `is operation ${operation} of the workload, the log says ${outcome >>> 16}`,
        );
      replayed.status = (outcome >>> 8) & 0xff;
      replayed.code = outcome & 0xff;
      replayed.sentUs = this.sentUs(sequence);
      replayed.settledUs = this.settledUs(sequence);
      if (this.#suppose !== null) supposed(replayed, this.#suppose);
      visit(replayed, this);
    }
  }

  /** Whether an applied operation returned a row as another connection had changed it. */
  hasChange(sequence: number): boolean {
    return this.#changes.has(sequence);
  }

  /** Whether its times were logged. */
  isTimed(sequence: number): boolean {
    return this.#timeAt(sequence * 2 + 1) !== 0;
  }

  sentUs(sequence: number): number {
    return this.#timeAt(sequence * 2);
  }

  settledUs(sequence: number): number {
    // An operation has 0 where it has no times: it may have happened at any moment.
    return this.#timeAt(sequence * 2 + 1) || neverUs;
  }

  /** 0 beyond the first operations, for whose times there was room. */
  #timeAt(place: number): number {
    const { times } = this.log;
    return place < times.length ? (times[place] ?? nothingAt(place)) : 0;
  }

  /** The place in `log.reads` of the version that a read saw; −1 when it was not logged. */
  readAt(sequence: number): number {
    return (this.#readOf?.[sequence] ?? 0) - 1;
  }

  /** The place in `log.scans` of a scan's rows, and their number of words; −1 when it was not logged. */
  scanAt(sequence: number): number {
    return (this.#scanOf?.[sequence] ?? 0) - 1;
  }

  /** The place of returned fields in `log.fields`. */
  fieldsAt(sequence: number): number {
    return (this.#fieldsOf?.[sequence] ?? 0) - 1;
  }

  /** The arguments that it took from earlier replies; the initial values where none is logged. */
  #fill(operation: number, sequence: number, values: Value[]): void {
    const takes = this.#kept.operations[operation]?.takes ?? [];
    if (takes.length === 0) return;
    const at = this.fieldsAt(sequence);
    for (const [place, { argument, kept }] of takes.entries()) {
      values[argument] =
        at === -1 ? (this.#kept.kept[kept]?.initial ?? 0n) : wideAt(this.log.fields, at + 2 * place);
    }
  }

  #corrupt(sequence: number, fact: string): Error {
    return new Error(
      `outcome log: corrupt: operation ${sequence} of session ${this.log.session} ${fact}; run the trial again`,
    );
  }
}

function supposed(replayed: Replayed, suppose: Suppose): void {
  const what = replayed.status === applied ? suppose(replayed) : 'applied';
  replayed.maybeTwice = what === 'applied-maybe-twice';
  if (what === 'in-doubt') replayed.status = inDoubt;
  if (what === 'undone') replayed.status = fault;
}

/** The signed 64-bit integer of two words, the high one first. */
export function wideAt(block: Uint32Array, at: number): bigint {
  return BigInt.asIntN(
    64,
    (BigInt(block[at] ?? nothingAt(at)) << 32n) | BigInt(block[at + 1] ?? nothingAt(at + 1)),
  );
}

/** By sequence, the place after the entry's first word, plus 1. */
function fixedEntries(drawn: number, entries: Uint32Array, size: number): Uint32Array {
  const places = new Uint32Array(drawn);
  for (let at = 0; at < entries.length; at += size) places[entries[at] ?? nothingAt(at)] = at + 2;
  return places;
}

/** By sequence, the place after the entry's first two words, plus 1. */
function sizedEntries(drawn: number, entries: Uint32Array): Uint32Array {
  const places = new Uint32Array(drawn);
  for (let at = 0; at < entries.length; at += 2 + (entries[at + 1] ?? nothingAt(at + 1)))
    places[entries[at] ?? nothingAt(at)] = at + 3;
  return places;
}
