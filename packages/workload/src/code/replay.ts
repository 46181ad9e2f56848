import { setImmediate as yieldToEvents } from 'node:timers/promises';
import { nothingAt } from '../nothing-at.ts';
import {
  type ConditionFinding,
  messageOf,
  type OperationFinding,
  type Row,
  type Values,
} from '@fair-bench/contract';
import { copyOf } from '../cases.ts';
import { ByOperation } from '../replay/by-operation.ts';
import { Mismatches } from '../replay/growing.ts';
import * as states from '../replay/isolation/history.ts';
import type { SessionOutcomes } from '../replay/log-format.ts';
import { applied, declined, inDoubt, SessionReplay } from '../replay/session-replay.ts';
import type { Workload } from '../resolved.ts';
import { CodeOperations } from './carry-out.ts';
import { LoggedReply } from './logged-reply.ts';
import { Doubts } from './doubts.ts';
import { type ChainOrder, type Nodes, orderByChains } from './order.ts';
import { OldRows } from './old-rows.ts';
import type { Past } from './program.ts';
import { KeptPast } from './past.ts';
import { RowsInCode } from './rows.ts';
import { SeededStore } from './seeded-store.ts';
import { ChainObjects, TouchLog, touchKinds } from './touches.ts';
import { nameOf } from './transaction.ts';
import type { ModelRow } from '../store.ts';

/** Beside it, connections of the same process are opened and closed. */
const operationsInOneGo = 500;

/** An operation of the trial, as its log has it. */
interface Drawn {
  readonly session: number;
  readonly sequence: number;
  readonly operation: number;
  readonly values: Values;
  readonly status: number;
  /** The number of the reason for which it was declined. */
  readonly reason: number;
  readonly reply: LoggedReply | null;
}

/** What carrying a trial's operations out again showed. */
export interface CodeFinding {
  readonly mismatches: readonly Mismatches[];
  readonly order: Pick<ChainOrder, 'anomalies' | 'examples'>;
  readonly rowsChecked: number;
  readonly inDoubtApplied: number;
  readonly conditions: readonly ConditionFinding[];
  /** Null where the timed window is not known. */
  readonly operations: readonly OperationFinding[] | null;
  /** Operations that only read, found what no one moment had, and were not compared. */
  readonly torn: number;
  /** Applied operations whose replies were compared. */
  readonly compared: number;
}

type Scan = (table: number, signal: AbortSignal) => AsyncIterable<readonly Row[]>;

/**
 * Carries the operations of a trial out again, one at a time, in the order in which they say that they found each other's writes,
 * and compares every reply and every row.
 */
export class CodeReplay {
  readonly #workload: Workload;
  readonly #operations: CodeOperations;
  readonly #store: SeededStore;
  readonly #objects: ChainObjects;
  readonly #touches: TouchLog;
  readonly #drawn: Drawn[] = [];
  readonly #sessions: readonly SessionReplay[];
  readonly #past: KeptPast;
  readonly #byOperation: ByOperation | null;
  readonly #differing = new Mismatches('replies that the operations before them do not leave');
  readonly #denied = new Mismatches('declined for a reason that nothing permits');
  readonly #impossible = new Mismatches('replies that no moment between sending and end permits');
  readonly #doubts: Doubts;
  /** Null where no operation is on a cycle. */
  #oldRows: OldRows | null = null;
  #torn = 0;
  #compared = 0;

  /** `windowUs`: the timed window, by the log's clock. */
  constructor(
    workload: Workload,
    logs: readonly SessionOutcomes[],
    windowUs: readonly [begin: number, end: number] | null,
  ) {
    this.#byOperation = windowUs === null ? null : new ByOperation(workload, windowUs);
    this.#workload = workload;
    this.#operations = new CodeOperations(workload);
    this.#store = new SeededStore(workload);
    const { program, tables } = this.#operations;
    this.#objects = new ChainObjects(program, tables, this.#store);
    this.#touches = new TouchLog(this.#objects);
    this.#sessions = logs.map((log) => new SessionReplay(workload, log));
    this.#past = new KeptPast(program, tables, this.#store, this.#objects);
    this.#doubts = new Doubts(this.#operations, this.#store, this.#objects);
  }

  get sessions(): readonly SessionReplay[] {
    return this.#sessions;
  }

  async run(scan: Scan, unwritten: ReadonlySet<number>, signal: AbortSignal): Promise<CodeFinding> {
    const nodes = await this.#draw();
    const order = orderByChains(nodes, this.#touches, this.#doubts.some);
    signal.throwIfAborted();
    await this.#carryOutAll(order, nodes, signal);
    const rows = new RowsInCode(this.#workload, this.#store, this.#operations);
    for (const { number, written } of this.#workload.tables) {
      if (!written && !unwritten.has(number) && !rows.reads(number)) continue;
      await rows.take(number, scan(number, signal), signal);
    }
    this.#doubts.settle(rows);
    rows.judge();
    return {
      mismatches: [
        order.lost,
        order.invented,
        ...order.mismatches,
        this.#differing,
        this.#denied,
        this.#impossible,
        ...rows.mismatches,
      ],
      order,
      rowsChecked: rows.checked,
      inDoubtApplied: this.#doubts.applied,
      conditions: rows.conditions(),
      operations: this.#byOperation?.finding() ?? null,
      torn: this.#torn,
      compared: this.#compared,
    };
  }

  /** Draws all operations again, and takes what each says that it found. */
  async #draw(): Promise<Nodes> {
    const all = this.#sessions.reduce((sum, { log }) => sum + log.drawn, 0);
    const state = new Uint8Array(all);
    const [sentUs, settledUs] = [new Uint32Array(all), new Uint32Array(all)];
    const writes = new Uint8Array(all);
    const { operations } = this.#workload;
    for (const session of this.#sessions) {
      await yieldToEvents();
      session.each(session.log.sessions, (replayed) => {
        const node = this.#drawn.length;
        const operation = operations[replayed.operation] ?? nothingAt(replayed.operation);
        const { status, sequence } = replayed;
        this.#byOperation?.note(replayed);
        const reply = status === applied ? LoggedReply.of(operation, session, sequence) : null;
        const values = replayed.values.map(copyOf);
        this.#drawn.push({
          session: replayed.session,
          sequence,
          operation: replayed.operation,
          values,
          status,
          reason: replayed.code,
          reply,
        });
        sentUs[node] = replayed.sentUs;
        settledUs[node] = replayed.settledUs;
        writes[node] = Number(operation.writes);
        state[node] =
          status === applied ? states.applied : status === inDoubt ? states.inDoubt : states.refused;
        if (status === inDoubt && operation.writes)
          this.#doubts.add({ operation: replayed.operation, values });
        if (reply !== null) this.#touch(node, reply);
      });
    }
    return { count: all, state, sentUs, settledUs, writes, describe: (node) => this.#nameOf(node) };
  }

  #touch(node: number, reply: LoggedReply): void {
    const { operation, values } = this.#drawn[node] ?? nothingAt(node);
    const { code, argumentsOf } = this.#operations.at(operation);
    try {
      code.found?.(this.#touches.begin(node), argumentsOf(values), reply.rows());
    } catch (error) {
      this.#differing.add(() => `${this.#nameOf(node)}: ${messageOf(error)}`);
    }
  }

  async #carryOutAll(
    { order, torn }: ChainOrder,
    { sentUs, settledUs }: Nodes,
    signal: AbortSignal,
  ): Promise<void> {
    const places = this.#placesOfTouches();
    if (torn !== null) this.#oldRows = new OldRows(this.#store, this.#objects);
    for (const [place, node] of order.entries()) {
      if (place % operationsInOneGo === 0) {
        await yieldToEvents();
        signal.throwIfAborted();
      }
      const drawn = this.#drawn[node] ?? nothingAt(node);
      if (drawn.status !== applied && drawn.status !== declined) continue;
      if (drawn.status === declined && this.#operations.at(drawn.operation).code.declined !== undefined)
        continue;
      this.#carryOut(node, drawn, places, torn?.[node] === 1);
    }
    this.#past.learn(this.#touches);
    for (const [node, drawn] of this.#drawn.entries()) {
      const [from, to] = [sentUs[node] ?? nothingAt(node), settledUs[node] ?? nothingAt(node)];
      this.#judgeInTime(node, drawn, this.#past.during({ sentUs, settledUs, from, to }));
    }
  }

  #judgeInTime(node: number, drawn: Drawn, past: Past): void {
    const { code, argumentsOf } = this.#operations.at(drawn.operation);
    if (drawn.status === declined) {
      const fact = code.declined?.(past, argumentsOf(drawn.values)) ?? null;
      if (fact !== null) this.#denied.add(() => `${this.#nameOf(node)}: ${fact}`);
      return;
    }
    if (drawn.reply === null || code.between === undefined) return;
    const fact = code.between(past, argumentsOf(drawn.values), drawn.reply.rows());
    if (fact !== null) this.#impossible.add(() => `${this.#nameOf(node)}: ${fact}`);
  }

  /** By node, its first touch. */
  #placesOfTouches(): Uint32Array {
    const { node } = this.#touches;
    const places = new Uint32Array(this.#drawn.length + 1);
    let place = 0;
    for (let own = 0; own <= this.#drawn.length; own += 1) {
      while (place < node.length && node.at(place) < own) place += 1;
      places[own] = place;
    }
    return places;
  }

  /** `isTorn`: it only read, and no one moment has all that it found. */
  #carryOut(node: number, drawn: Drawn, places: Uint32Array, isTorn: boolean): void {
    const [from, to] = [places[node] ?? 0, places[node + 1] ?? 0];
    if (this.#doubts.some) this.#bringToWhatItFound(from, to);
    let done: ReturnType<CodeOperations['carryOut']>;
    try {
      done = this.#operations.carryOut(
        drawn.operation,
        drawn.values,
        this.#store,
        drawn.reply?.rows() ?? null,
        this.#oldOf(from, to),
      );
    } catch (error) {
      this.#differing.add(() => `${this.#nameOf(node)}: ${messageOf(error)}`);
      return;
    }
    if (done.kind === 'declined') {
      const { reasons } = this.#operations.at(drawn.operation).operation;
      if (drawn.status === declined && reasons[drawn.reason] === done.reason) return;
      this.#denied.add(() => `${this.#nameOf(node)} must decline (${done.reason})`);
      return;
    }
    if (drawn.status === declined) {
      this.#denied.add(() => this.#nameOf(node));
      return;
    }
    // What it found beside the rows of chains is not known.
    if (isTorn && done.transaction.readsOthers) {
      this.#torn += 1;
      return;
    }
    this.#compared += 1;
    const difference = this.#unlike(from, to) ?? drawn.reply?.difference(done.rows) ?? null;
    if (difference !== null) this.#differing.add(() => `${this.#nameOf(node)}: ${difference}`);
    done.transaction.commit();
    this.#past.note(node, done.transaction);
    this.#oldRows?.note(done.transaction);
  }

  #bringToWhatItFound(from: number, to: number): void {
    const { object, number } = this.#touches;
    for (const at of this.#findingsOf(from, to)) this.#doubts.bringTo(object.at(at), Number(number.at(at)));
  }

  /** The rows that an operation on a cycle found as they were before, by table and key. */
  #oldOf(from: number, to: number): ReadonlyMap<string, ModelRow> | undefined {
    if (this.#oldRows === null) return undefined;
    const { object, number } = this.#touches;
    const old = new Map<string, ModelRow>();
    for (const at of this.#findingsOf(from, to)) {
      const found = this.#oldRows.at(object.at(at), Number(number.at(at)));
      const { table, key } = this.#objects.rowOf(object.at(at));
      if (found !== null && table !== null) old.set(nameOf(table, key), found.row);
    }
    return old;
  }

  /** Which row does not have the number that the operation found, before it is carried out. */
  #unlike(from: number, to: number): string | null {
    const { object, number } = this.#touches;
    for (const at of this.#findingsOf(from, to)) {
      const own = object.at(at);
      const has = this.#objects.numberIn(this.#store, own);
      if (has === Number(number.at(at))) continue;
      // Of a row that it only read, it may have found what was there before.
      const isRead = this.#touches.kind.at(at) === touchKinds.read;
      const before = isRead ? this.#oldRows?.at(own, Number(number.at(at))) : undefined;
      if (before !== undefined && before !== null) continue;
      return `it found ${number.at(at)} of ${this.#objects.describe(own)}, which the operations before it left at ${has}`;
    }
    return null;
  }

  /** By row that has a number, the first place at which an operation found it: of a row that it wrote twice, it found its own the second time. */
  #findingsOf(from: number, to: number): number[] {
    const { object, kind } = this.#touches;
    const seen = new Set<number>();
    const places: number[] = [];
    for (let at = from; at < to; at += 1) {
      const own = object.at(at);
      const isFound = kind.at(at) === touchKinds.wrote || kind.at(at) === touchKinds.read;
      if (!isFound || seen.has(own) || !this.#objects.isCounted(own)) continue;
      seen.add(own);
      places.push(at);
    }
    return places;
  }

  #nameOf(node: number): string {
    const { session, sequence, operation } = this.#drawn[node] ?? nothingAt(node);
    return `operation ${sequence} of session ${session} (${this.#workload.operations[operation]?.name})`;
  }
}
