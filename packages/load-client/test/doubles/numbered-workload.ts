import type { JsonObject, Values } from '@fair-bench/contract';
import {
  add,
  defineWorkload,
  int64,
  key,
  missing,
  operation,
  plannedJson,
  resolveWorkload,
  row,
  table,
  uniform,
} from '@fair-bench/workload';

/** A workload whose operations carry their session and their number: a test can predict the stream. */
const numbered = defineWorkload({
  name: 'numbered',
  parameters: {
    reads: {
      type: 'integer',
      default: 0,
      min: 0,
      max: 100,
      about: 'weight of the read-only operation',
    },
  },
  tables: { thing: table({ rows: 10, key: 'id', columns: { count: int64(0) } }) },
  operations: {
    write: {
      arguments: { id: operation(), thing: key('thing', uniform()) },
      rows: { it: row('thing', 'thing') },
      declines: [['not-there', missing('it')]],
      effects: [add('it.count', 1)],
    },
    look: {
      weight: 'reads',
      arguments: { id: operation(), thing: key('thing', uniform()) },
      rows: { it: row('thing', 'thing') },
      declines: [['not-there', missing('it')]],
      returns: row('thing', 'thing'),
    },
  },
});

/** As it stands in a plan; `reads` is the weight of the read-only operation, the other has weight 1. */
export function numberedWorkload({ reads }: { readonly reads: number }): JsonObject {
  return plannedJson(resolveWorkload(numbered, { seed: '1', reads }));
}

/** Its index in its session's stream. */
export function ordinalOf([id]: Values): number {
  if (typeof id !== 'bigint') throw new Error('the first argument is no int64');
  return Number(id & 0xffff_ffffn);
}
