import { type ControlPlane, type Row, tableAt, type WorkloadShape } from '@fair-bench/contract';
import { decodeRows, encodeRows } from '../codec/rows.ts';
import type { TablesRequest } from '../protocol.ts';

/** The tables of an engine inside the server's own process, as it reaches them. */
export type EngineTables = Required<Pick<ControlPlane, 'load' | 'clear' | 'scan' | 'read' | 'replace'>>;

const stepMsMax = 300_000;

/** The server's half of tables on the control port; `controlTables` is the other. */
export class ServedTables {
  readonly #tables: EngineTables;
  readonly #workload: WorkloadShape;
  /** Scans that have begun, by table: a scan holds its snapshot until its last page. */
  readonly #scans = new Map<number, AsyncIterator<readonly Row[]>>();

  constructor(tables: EngineTables, workload: WorkloadShape) {
    this.#tables = tables;
    this.#workload = workload;
  }

  /** The rows that were requested, as text; none where the request needs none. */
  async answer(request: TablesRequest): Promise<string> {
    const { table } = request;
    const { columns, keyColumns } = tableAt('server', this.#workload.tables, table);
    const signal = AbortSignal.timeout(stepMsMax);
    if (request.ask === 'scan') return encodeRows(await this.#nextPage(table, request.begins));
    if (request.ask === 'read') {
      const keys = decodeRows(request.keys, columns.slice(0, keyColumns));
      return encodeRows(await this.#tables.read(table, keys, signal));
    }
    if (request.ask === 'clear') await this.#tables.clear(table, signal);
    else if (request.ask === 'replace')
      await this.#tables.replace(table, decodeRows(request.rows, columns), signal);
    else await this.#tables.load(table, onePage(decodeRows(request.rows, columns)), signal);
    return encodeRows([]);
  }

  async #nextPage(table: number, begins: boolean): Promise<readonly Row[]> {
    const before = this.#scans.get(table);
    if (begins) await before?.return?.();
    const scan = begins ? this.#begin(table) : before;
    if (scan === undefined) throw new Error(`no scan of table ${table} has begun`);
    this.#scans.set(table, scan);
    const page = await scan.next();
    if (page.done !== true) return page.value;
    this.#scans.delete(table);
    return [];
  }

  #begin(table: number): AsyncIterator<readonly Row[]> {
    return this.#tables.scan(table, AbortSignal.timeout(stepMsMax))[Symbol.asyncIterator]();
  }
}

async function* onePage(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield await Promise.resolve(rows);
}
