import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject, messageOf, type Observer } from '@fair-bench/contract';
import type { Observed, TrialPlan } from '@fair-bench/results';
import {
  type ChangedRows,
  drawChanged,
  isLikeModel,
  judgeChanged,
  resolveWorkload,
  rowsChanged,
  rowsUnchanged,
  type SessionOutcomes,
  type Workload,
  type WorkloadDescription,
} from '@fair-bench/workload';
import { machineMs } from './machine-clock.ts';
import { Repeated } from './repeated.ts';

/** Between changes, from the first operation to the drain. */
const everyMs = 50;
/** A change takes at most this share of the time. */
const shareMax = 0.05;
const rowsOfChange = 8;
const rowsMax = 512;
/** How long an answer may take when the trial has ended early: the server may be gone. */
const abandonMsMax = 2_000;

interface Change {
  readonly from: number;
  readonly until: number;
  /** By the machine's clock, when it was acknowledged; null where it was not. */
  readonly doneMs: number | null;
}

/** The last draw: the targets of a round share their streams. */
let last: { readonly of: string; readonly changed: ChangedRows | null } | null = null;

/** The rows that are changed beside a trial's load; null where no operation reads rows that stay as they were seeded. */
export function changedRowsOf(
  description: WorkloadDescription,
  parameters: JsonObject,
  sessions: number,
): ChangedRows | null {
  const of = JSON.stringify([description, parameters, sessions]);
  if (last?.of !== of)
    last = { of, changed: drawChanged(resolveWorkload(description, parameters), sessions, rowsMax) };
  return last.changed;
}

/** In the form that the load client receives; nothing without any. */
export function plannedChanges(changed: ChangedRows | null): Pick<TrialPlan, 'changed'> {
  return changed === null
    ? {}
    : { changed: { ...changed, rows: changed.rows.map(([row, like]) => [row, like]) } };
}

/**
 * Changes rows that no operation writes while the load reads them, a few at a time: a read that begins after a change was
 * acknowledged must return it, whoever answers. Nothing marks the rows, and nobody beside the runner and its load client
 * knows them.
 */
export class RowsChanges {
  readonly #observer: Pick<Observer, 'read' | 'replace'>;
  readonly #workload: Workload;
  /** Tables whose rows may not be those that were seeded. */
  readonly #touched: Set<number>;
  readonly #planned: ChangedRows | null;
  readonly #changes: Change[] = [];
  readonly #problems: string[] = [];
  readonly #repeated = new Repeated(
    async () => await this.#changeSome(),
    (tookMs) => Math.max(everyMs, tookMs / shareMax),
  );
  #transactions = 0;

  constructor(
    observer: Pick<Observer, 'read' | 'replace'>,
    workload: Workload,
    touched: Set<number>,
    planned: ChangedRows | null,
  ) {
    this.#observer = observer;
    this.#workload = workload;
    this.#touched = touched;
    this.#planned = observer.replace === null ? null : planned;
  }

  /** What the load client must know of; null where nothing is changed. */
  get planned(): ChangedRows | null {
    return this.#planned;
  }

  start(): void {
    if (this.#planned !== null) this.#repeated.start();
  }

  async stop(): Promise<void> {
    await this.#repeated.stop();
  }

  /** Gives the rows their seeded values back. Rejects when they cannot be: the next seeding loads the table again. */
  async restore(): Promise<void> {
    await this.stop();
    const [planned, { read, replace }] = [this.#planned, this.#observer];
    if (planned === null || replace === null || this.#changes.length === 0) return;
    const { table } = planned;
    const width = this.#workload.tables[table]?.keyColumns ?? 1;
    const rows = rowsUnchanged(this.#workload, planned).slice(0, this.#changes.at(-1)?.until);
    for (let from = 0; from < rows.length; from += rowsOfChange * rowsOfChange) {
      const some = rows.slice(from, from + rowsOfChange * rowsOfChange);
      this.#transactions += 1;
      await replace(table, some);
      const keys = some.map((row) => row.slice(0, width));
      const found = (await read?.(table, keys)) ?? some;
      const lost = some.find((row) => !found.some((one) => isLikeModel(one, row)));
      if (lost !== undefined) {
        const { name } = this.#workload.tables[table] ?? { name: table };
        throw new Error(
          `${name} (${lost.slice(0, width).join(', ')}) was changed beside the load, and has not its value again after it was given back`,
        );
      }
    }
    this.#touched.delete(table);
  }

  /** Tries to give the rows their values back where the trial ended early: other targets may share the table. */
  async abandon(): Promise<void> {
    if (this.#planned === null || !this.#touched.has(this.#planned.table)) return;
    const restored = this.restore().catch(() => undefined);
    await Promise.race([restored, sleep(abandonMsMax, undefined, { ref: false })]);
  }

  /** `usOf`: the log's time of a time of this machine's clock. */
  seen(
    logs: readonly SessionOutcomes[],
    usOf: (ms: number) => number,
  ): NonNullable<Observed['changes']> | null {
    const planned = this.#planned;
    if (planned === null) return null;
    const changes = this.#changes.map(({ doneMs, ...change }) => ({
      ...change,
      doneUs: doneMs === null ? Infinity : usOf(doneMs),
    }));
    const { problems, ...found } = judgeChanged(this.#workload, logs, planned, changes);
    return {
      rows: this.#changes.at(-1)?.until ?? 0,
      transactions: this.#transactions,
      ...found,
      problems: [...problems, ...this.#problems],
    };
  }

  async #changeSome(): Promise<void> {
    const [planned, { replace }] = [this.#planned, this.#observer];
    const from = this.#changes.at(-1)?.until ?? 0;
    if (planned === null || replace === null || from >= planned.rows.length) return;
    const rows = planned.rows.slice(from, from + rowsOfChange);
    const until = from + rows.length;
    this.#touched.add(planned.table);
    this.#transactions += 1;
    try {
      await replace(planned.table, rowsChanged(this.#workload, { ...planned, rows }));
      this.#changes.push({ from, until, doneMs: machineMs() });
    } catch (error) {
      // It may have been done all the same.
      this.#changes.push({ from, until, doneMs: null });
      if (this.#problems.length === 0) this.#problems.push(`rows could not be changed: ${messageOf(error)}`);
    }
  }
}
