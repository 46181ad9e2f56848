import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFunctionReference } from 'convex/server';
import type { WorkloadShape } from '@fair-bench/contract';
import { defaultParameters, resolveWorkload, shapeOf, type WorkloadDescription } from '@fair-bench/workload';
import counter from '@fair-bench/workloads/counter';
import transfer from '@fair-bench/workloads/transfer';
import { functionNames, rowsPerLoad } from '../src/index.ts';
import { testedFunctions, type TestedFunctions } from '../src/test-support/index.ts';

type Json = string | number | boolean;

const load = makeFunctionReference<'mutation', { table: string; rows: Json[][] }, null>(functionNames.load);
const clear = makeFunctionReference<'mutation', { table: string }, number>(functionNames.clear);
const page = makeFunctionReference<
  'query',
  { table: string; cursor: string | null },
  { rows: Json[][]; cursor: string | null }
>(functionNames.page);

export const shapes = { transfer: shapeFrom(transfer), counter: shapeFrom(counter) };

export function functionsOf(name: keyof typeof shapes): TestedFunctions {
  const binding = fileURLToPath(new URL(join('../../../workloads', name, 'convex.ts'), import.meta.url));
  return testedFunctions(shapes[name], async () => await import(binding));
}

function shapeFrom(description: WorkloadDescription): WorkloadShape {
  return shapeOf(resolveWorkload(description, defaultParameters(description)));
}

/** Replaces a table's rows. */
export async function seed(functions: TestedFunctions, table: string, rows: Json[][]): Promise<void> {
  while ((await functions.mutation(clear, { table })) > 0);
  for (let first = 0; first < rows.length; first += rowsPerLoad) {
    await functions.mutation(load, { table, rows: rows.slice(first, first + rowsPerLoad) });
  }
}

export async function pages(functions: TestedFunctions, table: string): Promise<Json[][][]> {
  const all: Json[][][] = [];
  let cursor: string | null = null;
  do {
    const found: { rows: Json[][]; cursor: string | null } = await functions.query(page, { table, cursor });
    all.push(found.rows);
    cursor = found.cursor;
  } while (cursor !== null);
  return all;
}

export async function accounts(count: number, balance: bigint): Promise<TestedFunctions> {
  const functions = functionsOf('transfer');
  const rows = Array.from({ length: count }, (_value, id) => [id, balance.toString()]);
  await seed(functions, 'account', rows);
  return functions;
}

export async function balances(functions: TestedFunctions): Promise<readonly bigint[]> {
  return (await pages(functions, 'account')).flat().map(([, balance]) => BigInt(balance ?? -1));
}
