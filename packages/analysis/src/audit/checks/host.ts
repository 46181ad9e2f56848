import { hostBounds, type HostConditions } from '@fair-bench/results';
import { type Check, pass, warn } from '../evidence.ts';

export const busyShareMax = 0.95;

/** A machine that others use, or that has nothing left, is a part of the number: it is said, with what to do. */
export const checkHost: Check = ({ host, result: { agents = [] } }) => [
  ...(host === null ? pass : judged(host, '')),
  ...agents.flatMap((agent) =>
    agent.host === undefined ? [] : judged(agent.host, `load agent ${agent.name}: `),
  ),
];

function judged(
  { stealShare, foreignShare, foreignMost, busyShare }: HostConditions,
  where: string,
): ReturnType<Check> {
  return [
    ...(stealShare <= hostBounds.stealShareMax
      ? pass
      : warn(
          'host-stolen',
          `${where}the hypervisor took ${percent(stealShare)} of processor time (limit ${percent(hostBounds.stealShareMax)})`,
          'measure on a machine whose processors are not shared with others',
        )),
    ...(foreignShare === null || foreignShare <= hostBounds.foreignShareMax
      ? pass
      : warn(
          'host-foreign',
          `${where}other processes took ${percent(foreignShare)} of processor time (limit ${percent(hostBounds.foreignShareMax)}${most(foreignMost)})`,
          'stop other programs on this machine',
        )),
    ...(busyShare <= busyShareMax
      ? pass
      : warn(
          'host-busy',
          `${where}the processors were busy for ${percent(busyShare)} of the window: ${where === '' ? 'load client and servers' : 'its threads'} competed for them`,
          'use a machine with more cores, or compare the servers by their CPU time per operation',
        )),
  ];
}

function most(foreign: { readonly command: string; readonly share: number } | null): string {
  return foreign === null ? '' : `; most: ${foreign.command}, ${percent(foreign.share)}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
