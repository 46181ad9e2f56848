import { hostBounds } from '@fair-bench/results';
import { type Check, holds, warns } from '../evidence.ts';

const busyShareMax = 0.95;

/** A machine that others use, or that has nothing left, is a part of the number: it is said, with what to do. */
export const checkHost: Check = ({ host }) => {
  if (host === null) return holds;
  const { stealShare, foreignShare, foreignMost, busyShare } = host;
  return [
    ...(stealShare <= hostBounds.stealShareMax
      ? holds
      : warns(
          'host-stolen',
          `the hypervisor took ${percent(stealShare)} of processor time (limit ${percent(hostBounds.stealShareMax)})`,
          'measure on a machine whose processors are not shared with others',
        )),
    ...(foreignShare === null || foreignShare <= hostBounds.foreignShareMax
      ? holds
      : warns(
          'host-foreign',
          `other processes took ${percent(foreignShare)} of processor time (limit ${percent(hostBounds.foreignShareMax)}${most(foreignMost)})`,
          'stop other programs on this machine',
        )),
    ...(busyShare <= busyShareMax
      ? holds
      : warns(
          'host-busy',
          `the processors were busy for ${percent(busyShare)} of the window: load client and servers competed for them`,
          'use a machine with more cores, or compare the servers by their CPU time per operation',
        )),
  ];
};

function most(foreign: { readonly command: string; readonly share: number } | null): string {
  return foreign === null ? '' : `; most: ${foreign.command}, ${percent(foreign.share)}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
