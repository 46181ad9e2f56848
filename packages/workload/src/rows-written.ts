import type { Workload } from './resolved.ts';
import type { Effect } from './schema.ts';

/** By table, the most of its rows that one operation writes: a transaction that wrote more did the work of several. */
export function rowsWrittenMax({ tables, operations }: Workload): readonly number[] {
  return tables.map(({ name }) =>
    Math.max(
      ...operations.filter(({ weight }) => weight > 0).map((operation) => rowsWritten(operation, name)),
    ),
  );
}

/** A row that several effects change counts once. */
function rowsWritten({ description, arguments: all }: Workload['operations'][number], table: string): number {
  if (description.code !== undefined) return description.code.writes[table] ?? 0;
  const lengthOf = (list: string | undefined): number => {
    const argument = all.find(({ name }) => name === list);
    return argument?.kind === 'list' ? argument.max : 1;
  };
  const changed = new Set(description.effects.flatMap((effect) => rowOf(effect) ?? []));
  const rows = description.rows
    .filter((row) => row.table === table && changed.has(row.name))
    .map(({ keys }) => lengthOf(keys.find((key) => key.includes('.'))?.split('.')[0]));
  const inserted = description.effects.map((effect) => {
    const [simple, list] = effect.kind === 'each' ? [effect.effect, effect.list] : [effect, undefined];
    return simple.kind === 'insert' && simple.table === table ? lengthOf(list) : 0;
  });
  return [...rows, ...inserted].reduce((sum, count) => sum + count, 0);
}

/** The row that an effect changes; none when it inserts one. */
function rowOf(effect: Effect): string | undefined {
  if (effect.kind === 'each') return rowOf(effect.effect);
  if (effect.kind === 'insert') return undefined;
  return effect.kind === 'set-chosen' || effect.kind === 'delete' ? effect.row : effect.target.split('.')[0];
}
