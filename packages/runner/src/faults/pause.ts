import { suspend } from '@fair-bench/supervisor';
import { type FaultOfKind, lackOfNodes, nothingToEnd, nothingToRemove } from './arranged-fault.ts';

/** SIGSTOP of all of a target's processes, and later SIGCONT: as when a machine is paused, swaps, or is short of processors. */
export const pause: FaultOfKind = {
  lackOf: (target) => lackOfNodes(target, 'paused'),
  arrange: async () => {
    let resume = (): void => undefined;
    let isStruck: Promise<void> = Promise.resolve();
    return await Promise.resolve({
      begin: async (target) => {
        resume = suspend(await target.running());
        isStruck = target.struck();
        // It rejects again where the pause ends.
        isStruck.catch(() => undefined);
      },
      end: async () => {
        try {
          await isStruck;
        } finally {
          resume();
        }
        return await nothingToEnd();
      },
      [Symbol.asyncDispose]: nothingToRemove,
    });
  },
};
