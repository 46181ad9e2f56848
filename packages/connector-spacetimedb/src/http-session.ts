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
import { type HttpCall, httpSession } from '@fair-bench/session';
import { z } from 'zod';
import { exactInteger } from './http-api.ts';
import { outcomesOf, type ReadOutcome } from './outcome.ts';
import { argumentsText, cellReaders } from './tables.ts';

/** The status of a call that the module refused. */
const refusedStatus = 530;

const cellSchema = z.union([z.bigint(), z.boolean(), z.string()]);
const rowSchema = z.array(cellSchema);
/** A procedure's `Result`: the place of the variant, and its value. */
const resultSchema = z.union([
  z.tuple([z.literal(0n), z.unknown()]).transform(([, ok]) => ({ ok })),
  z.tuple([z.literal(1n), z.string()]).transform(([, err]) => ({ err })),
]);

/**
 * A session of HTTP calls by undici: the server carries out the calls of one connection one after the other. For each call
 * it connects, calls and disconnects with a separate identity, and does not report whether it waits for the log to be
 * flushed.
 */
export async function connectHttpSession(
  { url, database }: { readonly url: string; readonly database: string },
  { workload, depth, signal }: Pick<DataPlaneContext, 'workload' | 'depth' | 'signal'>,
): Promise<DataPlane> {
  const calls = callsOf(workload, database);
  return await httpSession({ url, healthPath: '/v1/health', calls, depth, signal }, 'stock');
}

function callsOf({ tables, operations }: WorkloadShape, database: string): readonly HttpCall[] {
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
    const readOutcome = outcomesOf({ operation, readRows: returnsRows ? readRows : null });
    return {
      path: `/v1/database/${encodeURIComponent(database)}/call/${name}`,
      encode: argumentsText,
      outcome: (status, body) => outcomeOf(status, body.toString(), readOutcome, returnsRows),
    };
  });
}

function outcomeOf(
  status: number,
  text: string,
  outcome: ReadOutcome,
  returnsRows: boolean,
): OperationOutcome {
  if (status === refusedStatus) return outcome.refused(text);
  if (status === 400) return refused('invalid-request', `spacetimedb: ${text}`);
  if (status !== 200) return inDoubt('server-error', `spacetimedb: ${status} ${text}`);
  return outcome.returned(returnsRows ? resultSchema.parse(JSON.parse(text, exactInteger)) : null);
}
