import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, type Observer, type Row } from '@fair-bench/contract';
import type { Observed, TrialPlan, TrialResult } from '@fair-bench/results';
import {
  type ChangedRows,
  drawChanged,
  isLikeModel,
  judgeChanged,
  rowsChanged,
  rowsUnchanged,
  type SessionOutcomes,
  type Workload,
} from '@fair-bench/workload';
import { lastDraw } from './last-draw.ts';
import { logClockOf, machineMs } from '../probes/machine-clock.ts';
import { Repeated } from '../probes/repeated.ts';

/** Between changes, from the first operation to the drain. */
const everyMs = 50;
/** A change takes at most this share of the time. */
const shareMax = 0.05;
const rowsOfChange = 8;
const rowsOfRestoring = 64;
const rowsMax = 512;
/** How long an answer may take when the trial has ended early: the server may be gone. */
const abandonMsMax = 2_000;

interface Change {
  readonly from: number;
  readonly until: number;
  /** When it was acknowledged, by the machine's clock; null where it was not. */
  readonly doneMs: number | null;
}

/** The rows that are changed beside a trial's load; null where no operation reads rows that stay as they were seeded. */
export const changedRowsOf = lastDraw((workload, sessions, secret) =>
  drawChanged(workload, sessions, { count: rowsMax, secret }),
);

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
  /** The rows as they are changed, made before the load. */
  readonly #changed: readonly Row[];
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
    this.#changed = this.#planned === null ? [] : rowsChanged(workload, this.#planned);
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
    for (let from = 0; from < rows.length; from += rowsOfRestoring) {
      const some = rows.slice(from, from + rowsOfRestoring);
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
    // Nothing is changed from here on.
    void this.stop();
    if (this.#planned === null || !this.#touched.has(this.#planned.table)) return;
    const restored = this.restore().catch(() => undefined);
    await Promise.race([restored, sleep(abandonMsMax, undefined, { ref: false })]);
  }

  /** Of a load client whose clock is this machine's. */
  seen(logs: readonly SessionOutcomes[], { timing }: TrialResult): NonNullable<Observed['changes']> | null {
    const planned = this.#planned;
    if (planned === null) return null;
    const usOf = logClockOf(timing);
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
    const rows = this.#changed.slice(from, from + rowsOfChange);
    if (planned === null || replace === null || rows.length === 0) return;
    const until = from + rows.length;
    this.#touched.add(planned.table);
    this.#transactions += 1;
    try {
      await replace(planned.table, rows);
      this.#changes.push({ from, until, doneMs: machineMs() });
    } catch (error) {
      // It may have been done all the same.
      this.#changes.push({ from, until, doneMs: null });
      if (this.#problems.length === 0) this.#problems.push(`rows could not be changed: ${messageOf(error)}`);
    }
  }
}
