import { createWriteStream } from 'node:fs';
import { relative } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { AgentShare, HostConditions, TrialPlan, TrialResult } from '@fair-bench/results';
import type { ObjectStore } from '@nats-io/obj';
import type { AgentLink, ClockReading } from './agent-link.ts';

export interface Course {
  readonly before: readonly ClockReading[];
  readonly after: readonly ClockReading[];
  readonly windowUs: number;
}

export interface Clock {
  readonly offsetUs: number;
  readonly errorUs: number;
  readonly roundTripUs: number;
}

/** The agent's clock during the trial, from readings before and after it: the drift between them is part of the error. */
export function clockOf({ before, after }: Course, place: number): Clock {
  const [first, last] = [before[place], after[place]];
  if (first === undefined || last === undefined) throw new Error(`the clock of agent ${place} was not read`);
  const roundTripUs = Math.max(first.roundTripUs, last.roundTripUs);
  const driftUs = Math.abs(last.offsetUs - first.offsetUs);
  return {
    offsetUs: (first.offsetUs + last.offsetUs) / 2,
    errorUs: roundTripUs / 2 + driftUs / 2,
    roundTripUs,
  };
}

/** When the runner heard that an agent's window began and ended, in microseconds of its own clock. */
export type HeardUs = Readonly<Record<'window' | 'drain', number>>;

export function shareOf(
  { link, plan, heardUs }: { readonly link: AgentLink; readonly plan: TrialPlan; readonly heardUs: HeardUs },
  result: TrialResult,
  host: HostConditions | null,
  clock: Clock,
  windowUs: number,
): AgentShare {
  const { timing, effort, window } = result;
  const fromUs = timing.startUs + timing.warmupMs * 1000 - clock.offsetUs;
  const cpuShare = (effort.cpuUserUs + effort.cpuSystemUs) / (timing.windowMs * 1000 * plan.threads);
  const { sessionFirst = 0, sessionCount = plan.sessions } = plan.share ?? {};
  return {
    name: link.name,
    sessionFirst,
    sessionCount,
    applied: window.applied,
    cores: link.machine.cores,
    cpuUserUs: effort.cpuUserUs,
    cpuSystemUs: effort.cpuSystemUs,
    utilization: Math.min(1, effort.loopUtilization ?? (timing.windowMs === 0 ? 0 : cpuShare)),
    windowSkewMs: (fromUs - windowUs) / 1000,
    clockErrorMs: clock.errorUs / 1000,
    roundTripMs: clock.roundTripUs / 1000,
    heardAfterMs:
      Math.min(heardUs.window - windowUs, heardUs.drain - windowUs - timing.windowMs * 1000) / 1000,
    windowMs: timing.windowMs,
    windowMsHeard: (heardUs.drain - heardUs.window) / 1000,
    ...machineOf(link, host),
  };
}

function machineOf({ pidHere }: AgentLink, host: HostConditions | null): Pick<AgentShare, 'pid' | 'host'> {
  if (pidHere !== null) return { pid: pidHere };
  return host === null ? {} : { host };
}

/** The plan of one of `count` agents. Its Node client's module is named from the repository's root, as agents know it. */
export function partOf(plan: TrialPlan, place: number, count: number, root: string): TrialPlan {
  if (plan.sessions < count)
    throw new Error(`load agents: ${plan.sessions} sessions are fewer than ${count} agents`);
  const firstOf = (number: number): number => Math.floor((plan.sessions * number) / count);
  const sessionFirst = firstOf(place);
  const sessionCount = firstOf(place + 1) - sessionFirst;
  const client: TrialPlan['client'] =
    plan.client.kind === 'native'
      ? plan.client
      : { kind: 'node', module: relative(root, fileURLToPath(plan.client.module)) };
  return {
    ...plan,
    client,
    share: { sessionFirst, sessionCount },
    threads: Math.min(plan.threads, sessionCount),
    canaries: canariesOf(plan, place, count),
  };
}

/** Each agent has every `count`-th canary, spread over the window: what lies between it and the target may lie as well. */
function canariesOf({ canaries, timing }: TrialPlan, place: number, count: number): TrialPlan['canaries'] {
  const operations = canaries?.operations.filter((_, number) => number % count === place) ?? [];
  if (operations.length === 0) return null;
  return { everyMs: Math.max(1, Math.floor(timing.windowMs / operations.length)), operations };
}

export async function fetchObject(store: ObjectStore, name: string, path: string): Promise<void> {
  const object = await store.get(name);
  if (object === null) throw new Error(`NATS: the object ${name} is gone`);
  await pipeline(Readable.from(object.data), createWriteStream(path));
  const error = await object.error;
  if (error instanceof Error) throw error;
}
