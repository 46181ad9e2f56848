import { defineSchema, defineTable, type GenericSchema, type SchemaDefinition } from 'convex/server';
import { v } from 'convex/values';
import { validatorsOf, type Workload } from './shape.ts';

/** The index of a table's key. Convex has no unique indexes: an inserting operation must check first. */
export const keyIndex = 'by_key';
/** One document, written to see where a write goes. */
export const marksTable = 'fair_bench_marks';

/** The workload's tables with their indexes. */
export function schemaOf({ tables }: Workload): SchemaDefinition<GenericSchema, true> {
  const defined = tables.map(({ name, columns, keyColumns, indexes }) => {
    const key = columns.slice(0, keyColumns).map((column) => column.name);
    let table = defineTable(validatorsOf(columns)).index(keyIndex, fieldsOf(key));
    for (const index of indexes) table = table.index(`by_${index.join('_')}`, fieldsOf(index));
    return [name, table] as const;
  });
  return defineSchema({ ...Object.fromEntries(defined), [marksTable]: defineTable({ mark: v.string() }) });
}

function fieldsOf(names: readonly string[]): [string, ...string[]] {
  const [first, ...rest] = names;
  if (first === undefined) throw new Error('an index has at least one column');
  return [first, ...rest];
}
