import {
  type Disturbance,
  type HostConditions,
  type PassedTrial,
  type RunPlan,
  type TrialRecord,
  cpuTimeSpreadMax,
  disturbedShareMax,
  hostBounds,
  isPassed,
} from '@fair-bench/results';
import { busyShareMax } from '../audit/checks/host.ts';
import { cpuTimeSpreadOf } from './processor-speed.ts';

/** The warnings of a trial that say whose the machine was. */
const foreignCode = 'host-foreign';
const stolenCode = 'host-stolen';

/**
 * How quiet the machines were: counts of the trials with a number by what the audit warned of, and the cells that stayed
 * disturbed. Only others disturb: a busy processor and a load client at its limit are the run's own doing. Pure.
 */
export function disturbanceOfRun(
  trials: readonly TrialRecord[],
  { sharedHost }: Pick<RunPlan, 'sharedHost'> = {},
): Disturbance {
  const passed = trials.filter(isPassed);
  const withCode = (code: string): number => passed.filter((trial) => warnsOf(trial, code)).length;
  const cells = [...Map.groupBy(passed, ({ cellId }) => cellId)].flatMap(([cellId, own]) =>
    own.filter(isDisturbed).length > disturbedShareMax * own.length ? [cellId] : [],
  );
  return {
    trials: passed.length,
    disturbed: passed.filter(isDisturbed).length,
    foreign: withCode(foreignCode),
    stolen: withCode(stolenCode),
    busy: withCode('host-busy'),
    saturated: withCode('client-saturated'),
    unobserved: passed.filter((trial) => hostsOf(trial).some((host) => (host?.foreignShare ?? null) === null))
      .length,
    foreignMost: foreignMostOf(passed),
    cells: cells.toSorted(),
    cpuTimeSpread: cpuTimeSpreadOf(passed),
    ...(sharedHost === undefined ? {} : { beside: [...sharedHost.beside] }),
  };
}

/** The disturbance of a run in one line; null for a run without a number. */
export function describeDisturbance(disturbance: Disturbance): string | null {
  const { trials, foreign, stolen, busy, saturated, unobserved, foreignMost, cells, beside } = disturbance;
  if (trials === 0) return null;
  const most = foreignMost[0];
  const whose =
    most === undefined ? '' : ` (most in ${most.trials}: ${most.command}, up to ${percent(most.shareMax)})`;
  const parts = [
    ...(foreign === 0
      ? []
      : [`other processes took over ${percent(hostBounds.foreignShareMax)} in ${foreign}${whose}`]),
    ...(stolen === 0 ? [] : [`the hypervisor took over ${percent(hostBounds.stealShareMax)} in ${stolen}`]),
    ...(busy === 0 ? [] : [`the processors were over ${percent(busyShareMax)} busy in ${busy}`]),
    ...(saturated === 0 ? [] : [`the load client was at its limit in ${saturated}`]),
    ...(unobserved === 0 ? [] : [`other processes were not observed in ${unobserved}`]),
  ];
  const shared =
    beside === undefined
      ? ''
      : ` The host was shared (--share-host)${beside.length === 0 ? '' : `, with ${beside.join('; ')}`}.`;
  const stayed = cells.length === 0 ? '' : `; over a quarter of the trials disturbed in ${namesOf(cells)}`;
  const found =
    parts.length === 0 ? `quiet in all ${trials} trials` : `of ${trials} trials, ${parts.join(', ')}`;
  return `${cells.length === 0 ? 'Host' : 'Host disturbed'}: ${found}${stayed}.${describeSpread(disturbance)}${shared}`;
}

function describeSpread({ cpuTimeSpread }: Disturbance): string {
  if (cpuTimeSpread === null) return '';
  const [low, high] = cpuTimeSpread;
  if (high <= cpuTimeSpreadMax * low) return '';
  return (
    ` An operation took ${times(low)} to ${times(high)} × its usual CPU time, in the load client and the servers alike: ` +
    'the processors were probably not equally fast in all trials.'
  );
}

function isDisturbed(trial: PassedTrial): boolean {
  return warnsOf(trial, foreignCode) || warnsOf(trial, stolenCode);
}

function warnsOf({ warnings }: PassedTrial, code: string): boolean {
  return warnings.some((warning) => warning.code === code);
}

/** The runner's machine and those of load agents; undefined where one was not observed. */
function hostsOf({ host, result }: PassedTrial): readonly (HostConditions | undefined)[] {
  return [host, ...(result.agents ?? []).map((agent) => agent.host)];
}

/** The most frequent first. */
function foreignMostOf(passed: readonly PassedTrial[]): Disturbance['foreignMost'] {
  const found = passed.flatMap((trial) =>
    warnsOf(trial, foreignCode)
      ? hostsOf(trial).flatMap((host) =>
          host !== undefined && (host.foreignShare ?? 0) > hostBounds.foreignShareMax
            ? (host.foreignMost ?? [])
            : [],
        )
      : [],
  );
  return [...Map.groupBy(found, ({ command }) => command)]
    .map(([command, same]) => ({
      command,
      trials: same.length,
      shareMax: Math.max(...same.map(({ share }) => share)),
    }))
    .toSorted((a, b) => b.trials - a.trials || b.shareMax - a.shareMax || (a.command < b.command ? -1 : 1));
}

const namedMost = 3;

function namesOf(cells: readonly string[]): string {
  const rest = cells.length - namedMost;
  return `${cells.slice(0, namedMost).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function times(multiple: number): string {
  return String(Number(multiple.toPrecision(2)));
}

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(3))} %`;
}
