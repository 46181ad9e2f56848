import {
  type GenericDatabaseReader,
  type GenericDataModel,
  internalMutationGeneric,
  internalQueryGeneric,
} from 'convex/server';
import { v, type Value } from 'convex/values';
import { rowsPerLoad, rowsPerPage } from './limits.ts';
import { keyIndex } from './schema.ts';
import { fromJson, type Json, tableOf, type TableShape, toJson, type Workload } from './shape.ts';

const rowsValidator = v.array(v.array(v.union(v.number(), v.boolean(), v.string())));
const cursorValidator = v.union(v.string(), v.null());

/** Loads, reads and clears the workload's tables. Rows are arrays of cells in JSON, in declared order. */
export function tableFunctions(workload: Workload) {
  return {
    /** Inserts rows, all or none. */
    load: internalMutationGeneric({
      args: { table: v.string(), rows: rowsValidator },
      returns: v.null(),
      handler: async ({ db }, { table, rows }: { table: string; rows: Json[][] }) => {
        if (rows.length > rowsPerLoad) throw new Error(`load takes at most ${rowsPerLoad} rows`);
        const shape = tableOf(workload, table);
        for (const row of rows) await db.insert(table, documentOf(shape, row));
        return null;
      },
    }),

    /** Deletes rows, as many as one transaction allows. Returns how many; 0 when none is left. */
    clear: internalMutationGeneric({
      args: { table: v.string() },
      returns: v.number(),
      handler: async ({ db }, { table }: { table: string }) => {
        const documents = await db.query(tableOf(workload, table).name).take(rowsPerLoad);
        for (const { _id } of documents) await db.delete(_id);
        return documents.length;
      },
    }),

    /** A page of all rows: cursor null requests the first, and the last returns it. */
    page: internalQueryGeneric({
      args: { table: v.string(), cursor: cursorValidator },
      returns: v.object({ rows: rowsValidator, cursor: cursorValidator }),
      handler: async ({ db }, { table, cursor }: { table: string; cursor: string | null }) => {
        const shape = tableOf(workload, table);
        const { page, isDone, continueCursor } = await db
          .query(table)
          .withIndex(keyIndex)
          .paginate({ numItems: rowsPerPage, cursor });
        return {
          rows: page.map((document) => rowOf(shape, document)),
          cursor: isDone ? null : continueCursor,
        };
      },
    }),

    /** The rows that have one of the keys. */
    find: internalQueryGeneric({
      args: { table: v.string(), keys: rowsValidator },
      returns: rowsValidator,
      handler: async ({ db }, { table, keys }: { table: string; keys: Json[][] }) => {
        const shape = tableOf(workload, table);
        const rows = keys.map(async (key) => await findKey(db, shape, key));
        return (await Promise.all(rows)).flat();
      },
    }),
  };
}

function documentOf({ columns }: TableShape, row: readonly Json[]) {
  return Object.fromEntries(
    columns.map(({ name, type }, place) => {
      const cell = row[place];
      if (cell === undefined) throw new Error(`a row has no ${name}`);
      return [name, fromJson(cell, type)];
    }),
  );
}

function rowOf({ columns }: TableShape, document: Record<string, Value>): Json[] {
  return columns.map(({ name }) => toJson(document[name]));
}

/** The first column finds the rows; those with another key are left out. */
async function findKey(
  db: GenericDatabaseReader<GenericDataModel>,
  shape: TableShape,
  key: readonly Json[],
): Promise<Json[][]> {
  const [first] = shape.columns;
  const [cell] = key;
  if (first === undefined || cell === undefined) throw new Error('a key has at least one column');
  const documents = await db
    .query(shape.name)
    .withIndex(keyIndex, (index) => index.eq(first.name, fromJson(cell, first.type)))
    .collect();
  const rows = documents.map((document) => rowOf(shape, document));
  return rows.filter((row) => key.every((wanted, place) => row[place] === wanted));
}
