import { injectedFaultKinds, type RequestedFault } from '@fair-bench/results';
import { type OptionGroup, optionTexts as texts } from './option-texts.ts';
import { durationMs, optionText, wholeNumberText } from './option-values.ts';

/** How long a fault lasts unless the option says; 0 for those that are over at once. */
const lengthMsDefault: Readonly<Record<RequestedFault['kind'], number>> = {
  kill: 0,
  pause: 1_000,
  'conn-reset': 0,
  network: 1_000,
  'disk-full': 1_000,
  'slow-disk': 1_000,
  'power-cut': 0,
};
const lengthMsMax = 60_000;
/** Before a fault the throughput without it is measured. */
const atMsMin = 1_000;
const atMsMax = 600_000;

const accepts =
  `${injectedFaultKinds.join(', ')}, separated by commas, each with a length as pause:2s and a time as kill@3s where they have one; ` +
  `a length of at most ${lengthMsMax / 1_000} s, a time of at least ${atMsMin / 1_000} s`;

const faultsText = optionText(accepts, (text) => {
  const faults = text.split(',').map((one) => faultOf(one.trim()));
  const known = faults.filter((fault) => fault !== null);
  const names = known.map(({ kind }) => kind);
  return known.length === faults.length && new Set(names).size === names.length ? known : null;
});

function faultOf(text: string): RequestedFault | null {
  const [, name, length, at] = /^([a-z-]+)(?::([^@:]+))?(?:@([^@:]+))?$/.exec(text) ?? [];
  const kind = injectedFaultKinds.find((one) => one === name);
  if (kind === undefined) return null;
  const isOverAtOnce = lengthMsDefault[kind] === 0;
  if (isOverAtOnce && kind !== 'kill' && length !== undefined) return null;
  const lengthMs = length === undefined ? lengthMsDefault[kind] : durationMs(length);
  const atMs = at === undefined ? undefined : durationMs(at);
  if (lengthMs === null || lengthMs > lengthMsMax || (lengthMs === 0 && !isOverAtOnce)) return null;
  if (atMs === null || (atMs !== undefined && (atMs < atMsMin || atMs > atMsMax))) return null;
  return { kind, lengthMs, ...(atMs === undefined ? {} : { atMs }) };
}

/** Of commands that measure a grid. */
export const faultOptions = {
  fault: faultsText.optional().register(texts, {
    argument: 'faults',
    meaning:
      'after the rounds, injects faults under load and audits what was acknowledged: `kill`, `pause`, `conn-reset`, `network`, `disk-full`, `slow-disk`, `power-cut`, separated by commas; `pause:2s` sets the length, `kill:10s` how long nothing is started again, `pause:2s@3s` also when. One round is measured unless `--trials` or `--budget` says otherwise; the load is an open loop at `--rate`, or at 40 % of what the slowest cell did',
    otherwise: 'none',
  }),
  faultTrials: wholeNumberText(1, 100).prefault('3').register(texts, {
    argument: 'number',
    meaning:
      'trials of each fault and cell, each on a new server; without a time each draws its own by the seed',
  }),
} satisfies OptionGroup;
