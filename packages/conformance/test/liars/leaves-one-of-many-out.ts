import { defineLiar } from './lying-client.ts';

/** Leaves a row in the middle of every reply of many out. */
export default defineLiar({
  tell(inner) {
    return {
      async execute(operation, values) {
        const outcome = await inner.execute(operation, values);
        if (outcome.kind !== 'applied' || outcome.reply?.kind !== 'rows') return outcome;
        const { rows } = outcome.reply;
        if (rows.length < 3) return outcome;
        const left = rows.toSpliced(Math.floor(rows.length / 2), 1);
        return { ...outcome, reply: { kind: 'rows', rows: left } };
      },
      close: () => inner.close(),
    };
  },
});
