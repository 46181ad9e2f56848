import { type FaultOfKind, lackOfServers, nothingToRemove, restarted } from './arranged-fault.ts';

/** SIGKILL of all of a target's processes at once; they are started again on the same data. */
export const kill: FaultOfKind = {
  lackOf: (target) => lackOfServers(target, 'killed'),
  arrange: async () =>
    await Promise.resolve({
      begin: async (target) => await target.kill(),
      end: restarted,
      [Symbol.asyncDispose]: nothingToRemove,
    }),
};
