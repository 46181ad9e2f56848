import type { KillableTarget } from '../durability/killable-target.ts';
import {
  type ArrangedFault,
  type FaultOfKind,
  lackOfServers,
  nothingToEnd,
  restarted,
} from './arranged-fault.ts';
import { ForgetfulDisk, lackOfDisk } from './forgetful-disk.ts';

/** Each flush of a slow disk takes so much longer. */
export const slowFlushMs = 50;

type Acts = Pick<ArrangedFault, 'begin' | 'end' | 'forgotten'>;

/** A fault of the disk on which the target's data lie. */
function onDisk(actsOf: (disk: ForgetfulDisk) => Acts): FaultOfKind {
  return {
    lackOf: (target) => lackOfServers(target, 'given a disk of ours'),
    lackHere: lackOfDisk,
    async arrange(arrangement) {
      const disk = await ForgetfulDisk.mount(arrangement);
      return {
        ...actsOf(disk),
        dataRoot: disk.directory,
        settle: async () => await disk.settle(),
        [Symbol.asyncDispose]: async () => await disk[Symbol.asyncDispose](),
      };
    },
  };
}

/**
 * The power fails: all processes are gone at once, and of their files only what was flushed is left, as POSIX promises it: a file's
 * name only once its directory was flushed. Then the servers are started again.
 */
export const powerCut = onDisk((disk) => {
  let forgotten: Awaited<ReturnType<ForgetfulDisk['cut']>> | undefined;
  return {
    async begin(target: KillableTarget) {
      await target.kill();
      forgotten = await disk.cut();
    },
    end: restarted,
    forgotten: () => forgotten,
  };
});

/** Nothing more can be allocated for a while, as when another program has filled the disk. */
export const diskFull = onDisk((disk) => ({
  begin: async () => await disk.fill(true),
  end: async () => await disk.fill(false).then(nothingToEnd),
}));

/** Each flush takes longer for a while. */
export const slowDisk = onDisk((disk) => ({
  begin: async () => await disk.slow(slowFlushMs),
  end: async () => await disk.slow(0).then(nothingToEnd),
}));
