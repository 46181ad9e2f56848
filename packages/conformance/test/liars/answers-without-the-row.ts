import { defineLiar } from './lying-client.ts';

/** Over all sessions. */
let reads = 0;

/** Says of one row in a hundred that it is not there. */
export default defineLiar({
  tell(inner) {
    return {
      async execute(operation, values) {
        const outcome = await inner.execute(operation, values);
        reads += 1;
        if (outcome.kind !== 'applied' || reads % 100 !== 0) return outcome;
        return { ...outcome, reply: { kind: 'rows', rows: [] } };
      },
      close: () => inner.close(),
    };
  },
});
