import type { InjectedFaultKind } from '@fair-bench/results';
import type { FaultOfKind } from './arranged-fault.ts';
import { connReset } from './conn-reset.ts';
import { diskFull, powerCut, slowDisk } from './disk-faults.ts';
import { kill } from './kill.ts';
import { network } from './network.ts';
import { pause } from './pause.ts';

/** Every kind of fault: a new one is a row here and in `injectedFaultKinds`. */
export const faultsByKind: Readonly<Record<InjectedFaultKind, FaultOfKind>> = {
  kill,
  pause,
  'conn-reset': connReset,
  network,
  'disk-full': diskFull,
  'slow-disk': slowDisk,
  'power-cut': powerCut,
};
