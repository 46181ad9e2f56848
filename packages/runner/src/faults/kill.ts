import { type FaultOfKind, lackOfNodes, nothingToRemove, restarted } from './arranged-fault.ts';

/**
 * SIGKILL of all of a target's processes at once, of a cluster those of the node that sessions reach; they are started again on the
 * same data.
 */
export const kill: FaultOfKind = {
  lackOf: (target) => lackOfNodes(target, 'killed'),
  arrange: async () =>
    await Promise.resolve({
      begin: async (target) => await target.kill(),
      end: restarted,
      [Symbol.asyncDispose]: nothingToRemove,
    }),
};
