import type { ArgumentShape } from '@fair-bench/contract';
import { isCanary } from './declines-canaries.ts';
import { defineLiar } from './lying-client.ts';

/** Exchanges the first two arguments of one type, except for canaries. */
export default defineLiar({
  tell: (inner, workload) => ({
    execute(operation, values) {
      if (isCanary(values)) return inner.execute(operation, values);
      const [a, b] = alike(workload.operations[operation]?.arguments ?? []);
      const [first, second] = [values[a], values[b]];
      if (first === undefined || second === undefined) return inner.execute(operation, values);
      return inner.execute(operation, values.with(a, second).with(b, first));
    },
    close: () => inner.close(),
  }),
});

/** The indexes of two arguments of one type. Where no two are of one type, the second index is past the list's end. */
function alike(all: readonly ArgumentShape[]): readonly [number, number] {
  const types = all.map((argument) => (argument.kind === 'scalar' ? argument.type.kind : 'list'));
  const first = types.findIndex((type, index) => types.indexOf(type, index + 1) !== -1);
  return [first, types.indexOf(types[first] ?? 'key', first + 1)];
}
