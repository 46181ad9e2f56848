import { Pool } from 'undici';
import {
  columnsOf,
  type DataPlane,
  type DataPlaneContext,
  inDoubt,
  type OperationOutcome,
  refused,
  type Row,
  type WorkloadShape,
} from '@fair-bench/contract';
import { reasonOf } from '@fair-bench/session';
import { z } from 'zod';
import { exactInteger } from './http-api.ts';
import { outcomesOf, type ReadOutcome } from './outcome.ts';
import { argumentsText, cellReaders } from './tables.ts';

/** The status of a call that the module refused. */
const refusedStatus = 530;
const headers = { 'content-type': 'application/json' };
const neverSentCodes = ['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT'];

const cellSchema = z.union([z.bigint(), z.boolean(), z.string()]);
const rowSchema = z.array(cellSchema);
/** A procedure's `Result`: the place of the variant, and its value. */
const resultSchema = z.union([
  z.tuple([z.literal(0n), z.unknown()]).transform(([, ok]) => ({ ok })),
  z.tuple([z.literal(1n), z.string()]).transform(([, err]) => ({ err })),
]);

interface Call {
  readonly path: string;
  readonly outcome: ReadOutcome;
  readonly returnsRows: boolean;
}

/**
 * A session of HTTP calls on kept-alive connections, one per unit of depth. For each call the server connects, calls
 * and disconnects with a separate identity, and does not report whether it waits for the log to be flushed.
 */
export async function connectHttpSession(
  { url, database }: { readonly url: string; readonly database: string },
  { workload, depth, signal }: Pick<DataPlaneContext, 'workload' | 'depth' | 'signal'>,
): Promise<DataPlane> {
  const pool = new Pool(new URL(url).origin, {
    connections: depth,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const calls = callsOf(workload, database);
  try {
    const { statusCode, body } = await pool.request({ path: '/v1/health', method: 'GET', signal });
    await body.dump();
    if (statusCode !== 200) throw new Error(`spacetimedb: ${url}/v1/health answered ${statusCode}`);
  } catch (error) {
    await pool.destroy();
    throw error;
  }
  return {
    async execute(operation, values) {
      const call = calls[operation];
      if (call === undefined) return refused('invalid-request', `spacetimedb: no operation ${operation}`);
      const { path, outcome, returnsRows } = call;
      try {
        const body = argumentsText(values);
        const reply = await pool.request({ path, method: 'POST', headers, body });
        const text = await reply.body.text();
        if (reply.statusCode === refusedStatus) return outcome.refused(text);
        if (reply.statusCode === 400) return refused('invalid-request', `spacetimedb: ${text}`);
        if (reply.statusCode !== 200)
          return inDoubt('server-error', `spacetimedb: ${reply.statusCode} ${text}`);
        return outcome.returned(returnsRows ? resultSchema.parse(JSON.parse(text, exactInteger)) : null);
      } catch (error) {
        return lost(error);
      }
    },
    close: async () => await pool.destroy(),
  };
}

function lost(error: unknown): OperationOutcome {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return neverSentCodes.includes(code)
    ? refused('connection-refused', `spacetimedb: ${reasonOf(error)}`)
    : inDoubt('connection-lost', `spacetimedb: ${reasonOf(error)}`);
}

function callsOf({ tables, operations }: WorkloadShape, database: string): readonly Call[] {
  return operations.map((operation) => {
    const { name, returns } = operation;
    const readers = columnsOf({ tables }, returns).map(({ type }) => cellReaders[type.kind]);
    const readRow = (cells: unknown): Row => {
      const row = rowSchema.length(readers.length).parse(cells);
      return row.flatMap((cell, place) => readers[place]?.(cell) ?? []);
    };
    const readRows = (value: unknown): Row[] =>
      returns.kind === 'fields' ? [readRow(value)] : z.array(z.unknown()).parse(value).map(readRow);
    const returnsRows = returns.kind !== 'nothing';
    return {
      path: `/v1/database/${encodeURIComponent(database)}/call/${name}`,
      outcome: outcomesOf({ operation, readRows: returnsRows ? readRows : null }),
      returnsRows,
    };
  });
}
