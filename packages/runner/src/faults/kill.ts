import { type FaultOfKind, lackOfServers, nothingToRemove } from './arranged-fault.ts';

/** SIGKILL of all of a target's processes at once; they are started again on the same data. */
export const kill: FaultOfKind = {
  lack: async (target) => await Promise.resolve(lackOfServers(target, 'killed')),
  arrange: async () =>
    await Promise.resolve({
      begin: async (target) => await target.kill(),
      end: async (target) => void (await target.restart()),
      [Symbol.asyncDispose]: nothingToRemove,
    }),
};
