import { parentPort, workerData } from 'node:worker_threads';
import { toThreadMs } from '../clock.ts';
import { createAlarmState } from './alarm-state.ts';

const memory: SharedArrayBuffer = workerData;
const { sets, atSharedMs } = createAlarmState(memory);
let rung = 0;
for (;;) {
  const set = Atomics.load(sets, 0);
  const waitMs = set === rung ? Number.POSITIVE_INFINITY : toThreadMs(atSharedMs[0] ?? 0) - performance.now();
  if (waitMs > 0 && Atomics.wait(sets, 0, set, waitMs) !== 'timed-out') continue;
  rung = set;
  parentPort?.postMessage(null, []);
}
