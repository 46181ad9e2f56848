import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

/** Bytes of the heap that this process uses, after everything that nothing refers to is collected. */
export function heldBytes(): number {
  if (typeof collect !== 'function') throw new Error('this runtime has no command that collects garbage');
  Reflect.apply(collect, undefined, []);
  return process.memoryUsage().heapUsed;
}
