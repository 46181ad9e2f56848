import { applied, type DataPlane, type WorkloadShape } from '@fair-bench/contract';
import { defineLiar } from './lying-client.ts';

const operationsPerFault = 5;
const beyond64Bits = 2n ** 63n;

/** Counts what the server refused as applied. It regularly sends the server something to refuse. */
export default defineLiar({
  tell(inner, workload) {
    const provoking = provoke(inner, workload);
    return {
      async execute(operation, values) {
        const outcome = await provoking.execute(operation, values);
        return outcome.kind === 'fault' ? applied : outcome;
      },
      close: () => inner.close(),
    };
  },
  behave: provoke,
});

/** Sends an integer beyond 64 bits in place of every n-th one. */
function provoke(inner: DataPlane, workload: WorkloadShape): DataPlane {
  let executed = 0;
  return {
    execute(operation, values) {
      executed += 1;
      const all = workload.operations[operation]?.arguments ?? [];
      const slot = all.findIndex((argument) => argument.kind === 'scalar' && argument.type.kind === 'int64');
      if (slot === -1 || executed % operationsPerFault !== 0) return inner.execute(operation, values);
      return inner.execute(operation, values.with(slot, beyond64Bits));
    },
    close: () => inner.close(),
  };
}
