import type { LastWriters } from '@fair-bench/contract';
import type { Observed } from '@fair-bench/results';
import { mayChange, rowsWrittenMax, type Workload } from '@fair-bench/workload';
import { Repeated } from '../probes/repeated.ts';

/** Between looks, on average. */
const lookEveryMs = 100;
/** Rows of larger tables are read after the load only; most of them are then as their writer left them. */
const rowsDuringLoadMax = 10_000;
/** The largest share of the time in which rows are read while the load runs. */
const readShareMax = 0.005;

/**
 * Reads which transaction wrote each row last: after the load, and if the tables are small, also at random moments while
 * it runs, because later writers of a row hide earlier ones.
 */
export class RowsWatch {
  readonly #writers: LastWriters | null;
  readonly #workload: Workload;
  #rowsMost: readonly number[] = [];
  #subtransactionsMost = 0;
  #readings = 0;
  #nextReadingMs: number;
  readonly #looking = new Repeated(
    async () => await this.#look(),
    () => lookEveryMs * (0.5 + Math.random()),
  );

  constructor(writers: LastWriters | null, workload: Workload) {
    this.#writers = writers;
    this.#workload = workload;
    const rows = workload.tables.filter(({ written }) => written).reduce((sum, table) => sum + table.rows, 0);
    this.#nextReadingMs = rows <= rowsDuringLoadMax ? 0 : Infinity;
  }

  start(): void {
    if (this.#writers !== null) this.#looking.start();
  }

  async stop(): Promise<void> {
    await this.#looking.stop();
  }

  async seen(): Promise<Observed['lastWriters']> {
    await this.stop();
    if (this.#writers === null) return null;
    // The last one, after the load, must succeed.
    await this.#read(this.#writers);
    const { tables } = this.#workload;
    const limits = rowsWrittenMax(this.#workload);
    return {
      readings: this.#readings,
      subtransactionsMost: this.#writers.subtransactionsMost === null ? null : this.#subtransactionsMost,
      tables: tables.flatMap((table) => {
        // Others may be changed by the runner itself.
        if (!mayChange(this.#workload, table)) return [];
        const { name, number } = table;
        return { name, rowsMost: this.#rowsMost[number] ?? 0, rowsOfOperationMax: limits[number] ?? 0 };
      }),
    };
  }

  async #look(): Promise<void> {
    const writers = this.#writers;
    const subtransactions = (await writers?.subtransactionsMost?.()) ?? 0;
    this.#subtransactionsMost = Math.max(this.#subtransactionsMost, subtransactions);
    if (writers !== null && performance.now() >= this.#nextReadingMs) await this.#read(writers);
  }

  async #read(writers: LastWriters): Promise<void> {
    const startMs = performance.now();
    const rows = await writers.rowsMost();
    const endMs = performance.now();
    this.#nextReadingMs = endMs + (endMs - startMs) / readShareMax;
    this.#readings += 1;
    this.#rowsMost = rows.map((most, number) => Math.max(most, this.#rowsMost[number] ?? 0));
  }
}
