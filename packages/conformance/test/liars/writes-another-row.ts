import { isCanary } from './declines-canaries.ts';
import { defineLiar } from './lying-client.ts';

/** Executes every operation on the neighbour of the row that its first key names, except for canaries. */
export default defineLiar({
  tell: (inner, workload) => ({
    execute(operation, values) {
      const all = workload.operations[operation]?.arguments ?? [];
      const slot = all.findIndex((argument) => argument.kind === 'scalar' && argument.type.kind === 'key');
      const key = values[slot];
      if (isCanary(values) || typeof key !== 'number') return inner.execute(operation, values);
      return inner.execute(operation, values.with(slot, key === 0 ? 1 : key - 1));
    },
    close: () => inner.close(),
  }),
});
