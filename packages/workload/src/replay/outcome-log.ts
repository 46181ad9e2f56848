import { nothingAt } from '../nothing-at.ts';
import type { OperationOutcome, Reply, Row, Value, Values } from '@fair-bench/contract';
import { faultCodes } from '@fair-bench/contract';
import { mix32 } from '../draw/scale.ts';
import { isWriteDrawn, mayChange, type PlannedWorkload, type ResolvedOperation } from '../resolved.ts';
import { bindReplies, type BoundReply } from './bind.ts';
import { KeptFields, KeptReplies } from './kept-replies.ts';
import { changeSeen, encodeSession, neverUs } from './log-format.ts';
import { LogBudget, Times, WordBuffer } from './log-buffers.ts';
import { type ChangedRows, ReplyCheck } from './reply-check.ts';
import { changedColumns, type ChangedColumns, versionColumn } from './rows.ts';
import { absentWord, words, writeVersion } from './version.ts';

export const logLimitBytesDefault = 256 * 2 ** 20;

/** The outcome log of one session; the timed loop calls it twice per operation. */
export interface SessionLog {
  /**
   * Counts a drawn operation, and writes those of its arguments that earlier replies have into `values`. Returns its number in
   * the session, which its slot keeps until it settles.
   */
  drawn(operation: number, values: Value[]): number;
  /**
   * The outcome of an operation. Every drawn operation settles once, in any order; one that was never sent is a fault
   * without doubt. Times are microseconds since a moment before the first operation that all sessions of the trial
   * share. `values` and the reply are read before this returns.
   */
  settled(
    sequence: number,
    operation: number,
    values: Values,
    outcome: OperationOutcome,
    sentUs: number,
    settledUs: number,
  ): void;
}

interface LogOptions {
  /** How many sessions the trial has in all, in every thread and machine. */
  readonly sessions: number;
  /** How many threads of this client keep a log: each has an equal share of the bound. */
  readonly threads?: number;
  /** The maximal size of this client's logs; reads are thinned out to stay below it. */
  readonly limitBytes?: number;
  /** Rows that another connection changes while the load reads them; reads that return a change are logged. */
  readonly changed?: ChangedRows | undefined;
}

/**
 * The outcome log of one thread: everything that cannot be drawn again from the streams. An applied operation without
 * times or a reply to log costs one counter.
 */
export class OutcomeLog {
  readonly #shared: Shared;
  readonly #sessions: Session[] = [];

  constructor(
    workload: PlannedWorkload,
    { sessions, threads = 1, limitBytes = logLimitBytesDefault, changed: beside }: LogOptions,
  ) {
    const operations = bindReplies(workload);
    const changed = workload.tables.map(changedColumns);
    const check = new ReplyCheck(workload, beside);
    const budget = new LogBudget(limitBytes / threads, () => this.#thin());
    const kept = new KeptFields(workload);
    const changing = workload.tables.map((table) => mayChange(workload, table));
    const writes = isWriteDrawn(workload);
    const timed = operations.map(({ operation, returns }) => {
      const own = writes ? operation.timed : 'never';
      const readsChanged = returns.kind === 'row' && returns.table.number === beside?.table;
      return own === 'never' && readsChanged ? 'while-room' : own;
    });
    this.#shared = { sessions, operations, timed, changed, mayChange: changing, check, budget, kept };
  }

  /** The log of one of this thread's sessions. */
  open(session: number): SessionLog {
    const log = new Session(this.#shared, session);
    this.#sessions.push(log);
    return log;
  }

  /** The bytes of every session, to be put one after the other: `writeOutcomeLog` makes a file of all threads' parts. */
  encode(): Uint8Array[] {
    return this.#sessions.flatMap((session) => session.encode());
  }

  #thin(): void {
    const { budget } = this.#shared;
    for (const session of this.#sessions) session.drop(budget.readsOfEvery);
  }
}

interface Shared {
  readonly sessions: number;
  readonly operations: readonly BoundReply[];
  /** By operation, when its times are logged: of one that only reads they matter for rows that are changed beside it. */
  readonly timed: readonly ResolvedOperation['timed'][];
  /** By table. */
  readonly changed: readonly ChangedColumns[];
  readonly mayChange: readonly boolean[];
  readonly check: ReplyCheck;
  readonly budget: LogBudget;
  readonly kept: KeptFields;
}

/** Reads by the class of their row: the first class is kept longest, the last is dropped first. */
const classes = [0, 1, 2] as const;

class Session implements SessionLog {
  readonly #shared: Shared;
  readonly #session: number;
  readonly #operations: readonly BoundReply[];
  readonly #timed: Shared['timed'];
  readonly #exceptions: WordBuffer;
  readonly #times: Times;
  readonly #reads: WordBuffer[];
  readonly #scans: WordBuffer[];
  readonly #fields: WordBuffer;
  readonly #kept: KeptReplies;
  readonly #mistakes: string[] = [];
  #mistakesCount = 0;
  #drawn = 0;

  constructor(shared: Shared, session: number) {
    this.#shared = shared;
    this.#session = session;
    this.#operations = shared.operations;
    this.#timed = shared.timed;
    this.#exceptions = new WordBuffer(shared.budget);
    this.#times = new Times(shared.budget);
    this.#reads = classes.map(() => new WordBuffer(shared.budget));
    this.#scans = classes.map(() => new WordBuffer(shared.budget));
    this.#fields = new WordBuffer(shared.budget);
    this.#kept = new KeptReplies(shared.kept);
  }

  drawn(operation: number, values: Value[]): number {
    this.#kept.fill(operation, values);
    this.#drawn += 1;
    return this.#drawn - 1;
  }

  settled(
    sequence: number,
    operation: number,
    values: Values,
    outcome: OperationOutcome,
    sentUs: number,
    settledUs: number,
  ): void {
    const timed = this.#timed[operation];
    if (timed === 'always' || (timed === 'while-room' && this.#times.hasRoom(sequence))) {
      const inDoubt = outcome.kind === 'fault' && outcome.inDoubt;
      this.#times.set(sequence, sentUs, inDoubt ? neverUs : settledUs);
    }
    if (outcome.kind !== 'applied') return this.#except(sequence, operation, outcome);
    const bound = this.#operations[operation];
    if (bound !== undefined && bound.returns.kind !== 'nothing') {
      this.#replied(sequence, bound, values, outcome.reply);
    }
  }

  /** Drops the reads that are no longer logged; `every` is 0 when none is. */
  drop(every: number): void {
    for (const buffers of [this.#reads, this.#scans]) {
      if (every !== 1) buffers[2]?.clear();
      if (every !== 1 && every !== 2) buffers[1]?.clear();
      if (every === 0) buffers[0]?.clear();
    }
  }

  encode(): Uint8Array[] {
    const { budget, sessions } = this.#shared;
    return encodeSession({
      session: this.#session,
      sessions,
      drawn: this.#drawn,
      readsOfEvery: budget.readsOfEvery,
      overflowed: budget.overflowed,
      mistakesCount: this.#mistakesCount,
      mistakes: this.#mistakes,
      exceptions: this.#exceptions.parts(),
      times: this.#times.parts(),
      reads: this.#reads.flatMap((buffer) => buffer.parts()),
      scans: this.#scans.flatMap((buffer) => buffer.parts()),
      fields: this.#fields.parts(),
    });
  }

  #except(
    sequence: number,
    operation: number,
    outcome: Exclude<OperationOutcome, { kind: 'applied' }>,
  ): void {
    const declined = outcome.kind === 'declined';
    const reasons = this.#operations[operation]?.operation.reasons ?? [];
    const code = declined ? reasons.indexOf(outcome.reason) : faultCodes.indexOf(outcome.code);
    if (code === -1)
      this.#mistake(
        sequence,
        declined ? `declined for no reason of its own: ${outcome.reason}` : 'unknown fault',
      );
    const kind = declined ? 0 : outcome.inDoubt ? 2 : 1;
    return this.#exception(sequence, (operation << 16) | (kind << 8) | (code & 0xff));
  }

  #exception(sequence: number, word: number): void {
    if (!this.#exceptions.reserve(2)) return this.#shared.budget.overflow();
    this.#exceptions.push(sequence);
    return this.#exceptions.push(word);
  }

  #replied(sequence: number, bound: BoundReply, values: Values, reply: Reply | null): void {
    const { check } = this.#shared;
    const mistake = check.mistake(bound, values, reply, sequence);
    const sawChange = check.takeChange();
    if (mistake !== null || reply === null) return this.#mistake(sequence, mistake ?? 'no reply');
    const { returns } = bound;
    if (sawChange && returns.kind === 'row' && this.#times.isSet(sequence))
      this.#exception(sequence, (bound.operation.number << 16) | (changeSeen << 8));
    if (returns.kind === 'nothing' || returns.kind === 'chosen-rows') return undefined;
    if (returns.kind === 'records')
      return reply.kind === 'rows' ? this.#returned(sequence, reply.rows.flat()) : undefined;
    if (returns.kind === 'fields') {
      if (reply.kind !== 'fields') return undefined;
      this.#kept.note(bound.operation.number, sequence, reply.fields);
      return this.#returned(sequence, reply.fields);
    }
    const taken = this.#kept.taken(bound.operation.number, values);
    if (taken.length > 0) this.#returned(sequence, taken);
    if (this.#shared.mayChange[returns.table.number] !== true || reply.kind !== 'rows') return undefined;
    const first = returns.kind === 'row' ? returns.keys : returns.from;
    let mixed = 0;
    for (const get of first) mixed = mix32(mixed ^ Number(get(values, 0)));
    // Rows whose two lowest bits are odd, then 2, are dropped first: the remaining rows have complete histories.
    const kind = (mixed & 1) === 1 ? 2 : (mixed & 2) === 2 ? 1 : 0;
    const every = this.#shared.budget.readsOfEvery;
    if (every === 0 || (kind === 2 && every > 1) || (kind === 1 && every > 2)) return undefined;
    if (returns.kind === 'row') return this.#read(sequence, kind, bound, reply.rows[0]);
    return this.#scan(sequence, kind, bound, reply.rows);
  }

  #read(sequence: number, kind: number, { returns }: BoundReply, row: Row | undefined): void {
    const buffer = this.#reads[kind];
    if (buffer === undefined || !('table' in returns) || !buffer.reserve(3)) return;
    this.#version(returns.table.number, row, sequence);
    // The value −1 looks like a missing row: such a read is not logged.
    if (row !== undefined && words[0] === absentWord && words[1] === absentWord) return;
    const [high = 0, low = 0] = words;
    buffer.push(sequence);
    buffer.push(high);
    buffer.push(low);
  }

  /** The rows of a scan with their keys. */
  #scan(sequence: number, kind: number, { returns }: BoundReply, rows: readonly Row[]): void {
    const buffer = this.#scans[kind];
    if (buffer === undefined || !('table' in returns)) return;
    const { table } = returns;
    const perRow = 2 + 2 * table.keyColumns;
    if (!buffer.reserve(2 + rows.length * perRow)) return;
    buffer.push(sequence);
    buffer.push(rows.length * perRow);
    rows.forEach((row, index) => {
      for (let place = 0; place < table.keyColumns; place += 1) {
        writeVersion(row[place] ?? nothingAt(place));
        buffer.push(words[0] ?? nothingAt(0));
        buffer.push(words[1] ?? nothingAt(1));
      }
      this.#version(table.number, row, sequence + index);
      buffer.push(words[0] ?? nothingAt(0));
      buffer.push(words[1] ?? nothingAt(1));
    });
  }

  /** Writes the version of a returned row into `words`. */
  #version(table: number, row: Row | undefined, turn: number): void {
    const changed = this.#shared.changed[table];
    const column = changed === undefined ? -1 : versionColumn(changed, turn);
    words.fill(row === undefined ? absentWord : 0);
    if (row !== undefined && column !== -1) writeVersion(row[column] ?? nothingAt(column));
  }

  /** Returned fields, or the arguments taken from earlier ones, are audited: they are never thinned out. */
  #returned(sequence: number, fields: Row): void {
    const buffer = this.#fields;
    if (!buffer.reserve(2 + fields.length * 2)) return this.#shared.budget.overflow();
    buffer.push(sequence);
    buffer.push(fields.length * 2);
    for (const value of fields) {
      writeVersion(value);
      buffer.push(words[0] ?? nothingAt(0));
      buffer.push(words[1] ?? nothingAt(1));
    }
    return undefined;
  }

  #mistake(sequence: number, mistake: string): void {
    this.#mistakesCount += 1;
    if (this.#mistakes.length >= 5) return;
    this.#mistakes.push(`session ${this.#session}, operation ${sequence}: ${mistake}`);
  }
}
