import { describeStorage, losesInPowerCut } from '@fair-bench/contract';
import { type Check, pass, fail } from '../evidence.ts';

/** On a file system in memory every flush returns at once, and a power cut takes what it flushed. */
export const checkDurableStorage: Check = ({ factsBefore, factsAfter }) => {
  const claiming = [factsBefore, factsAfter].find(
    ({ durability, storage }) => durability === 'durable' && losesInPowerCut(storage),
  );
  if (claiming === undefined) return pass;
  return fail(
    'log-in-memory',
    `durable commits were claimed, but the storage is ${describeStorage(claiming.storage)}: a power cut empties it`,
    'put data directory, log and tablespaces on a disk',
  );
};
