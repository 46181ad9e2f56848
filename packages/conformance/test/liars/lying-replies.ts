import type { ClientModule, Row } from '@fair-bench/contract';
import { defineLiar } from './lying-client.ts';

/** A session that answers every read with what `told` makes of its first row. */
export function withFirstRow(told: (row: Row) => Row): ClientModule {
  return defineLiar({
    tell(inner) {
      return {
        async execute(operation, values) {
          const outcome = await inner.execute(operation, values);
          if (outcome.kind !== 'applied' || outcome.reply?.kind !== 'rows') return outcome;
          const [row, ...rest] = outcome.reply.rows;
          if (row === undefined) return outcome;
          return { ...outcome, reply: { kind: 'rows', rows: [told(row), ...rest] } };
        },
        close: () => inner.close(),
      };
    },
  });
}
