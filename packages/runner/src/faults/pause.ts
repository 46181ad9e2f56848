import { suspend } from '@fair-bench/supervisor';
import { type FaultOfKind, lackOfNodes, nothingToEnd, nothingToRemove } from './arranged-fault.ts';

/** SIGSTOP of all of a target's processes, and later SIGCONT: as when a machine is paused, swaps, or is short of processors. */
export const pause: FaultOfKind = {
  lackOf: (target) => lackOfNodes(target, 'paused'),
  arrange: async () => {
    let resume = (): void => undefined;
    return await Promise.resolve({
      begin: async (target) => {
        resume = suspend(await target.running());
      },
      end: async () => {
        resume();
        return await nothingToEnd();
      },
      [Symbol.asyncDispose]: nothingToRemove,
    });
  },
};
