import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AgentEvent } from '@fair-bench/load-agent';
import { mergeClientResults, type PartOfTrial } from '@fair-bench/load-client';
import {
  type AgentShare,
  type HostConditions,
  type ClientResult,
  clientResultSchema,
  type TrialPlan,
} from '@fair-bench/results';
import { mergeOutcomeLogs, type PartOfLog } from '@fair-bench/workload';
import type { ObjectResult, ObjectStore } from '@nats-io/obj';
import type { AgentLink, ClockReading } from './agent-link.ts';

/** One agent's part of a trial, and what it stored of it. */
export interface StoredPart {
  readonly link: Pick<AgentLink, 'name' | 'machine' | 'pidHere'>;
  readonly plan: TrialPlan;
  /** When the runner heard that its window began and ended, in microseconds of its own clock. */
  readonly heardUs: Readonly<Record<'window' | 'drain', number>>;
  readonly stored: Extract<AgentEvent['event'], { type: 'stored' }> | null;
}

interface Collection {
  readonly plan: TrialPlan;
  readonly store: Pick<ObjectStore, 'getBlob'> & {
    get(name: string): Promise<Pick<ObjectResult, 'data' | 'error'> | null>;
  };
  readonly parts: readonly StoredPart[];
  /** Rejects when the trial has failed. */
  readonly fetch: <T>(work: Promise<T>) => Promise<T>;
}

/** Fetches the results and logs of all parts, and merges them. */
export async function collectParts(
  { plan, store, parts, fetch }: Collection,
  clocks: Clocks,
): Promise<ReturnType<typeof mergeClientResults>> {
  const results: PartOfTrial[] = [];
  const logs: (Omit<PartOfLog, 'laterUs'> & { readonly startUs: number })[] = [];
  for (const [place, part] of parts.entries()) {
    const { link, stored } = part;
    if (stored === null) throw new Error(`load agent ${link.name}: it stored no result`);
    const bytes = await fetch(store.getBlob(stored.result));
    const result = clientResultSchema.parse(JSON.parse(new TextDecoder().decode(bytes ?? new Uint8Array())));
    const clock = clockOf(clocks, place);
    results.push({ result, agent: shareOf(part, result, stored.host, clock, clocks.windowUs) });
    if (plan.logPath !== null && stored.log !== null && result.log !== null) {
      const path = `${plan.logPath}.${link.name}`;
      await fetch(fetchObject(store, stored.log, path));
      const startUs = result.timing.startUs - clock.offsetUs;
      logs.push({ path, sha256: result.log.sha256, startUs, errorUs: clock.errorUs });
    }
  }
  if (plan.logPath === null) return mergeClientResults(results, null);
  const firstUs = Math.min(...logs.map(({ startUs }) => startUs));
  const log = await mergeOutcomeLogs(
    plan.logPath,
    logs.map(({ startUs, ...rest }) => ({ ...rest, laterUs: startUs - firstUs })),
  );
  for (const { path } of logs) await rm(path, { force: true });
  return mergeClientResults(results, log);
}

/** The clocks' readings around a trial, and when its window began by ours. */
interface Clocks {
  readonly before: readonly ClockReading[];
  readonly after: readonly ClockReading[];
  readonly windowUs: number;
}

interface Clock {
  readonly offsetUs: number;
  readonly errorUs: number;
  readonly roundTripUs: number;
}

/** The agent's clock during the trial, from readings before and after it: the drift between them is part of the error. */
function clockOf({ before, after }: Clocks, place: number): Clock {
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

function shareOf(
  { link, plan, heardUs }: StoredPart,
  result: ClientResult,
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

function machineOf(
  { pidHere }: StoredPart['link'],
  host: HostConditions | null,
): Pick<AgentShare, 'pid' | 'host'> {
  if (pidHere !== null) return { pid: pidHere };
  return host === null ? {} : { host };
}

async function fetchObject(store: Collection['store'], name: string, path: string): Promise<void> {
  const object = await store.get(name);
  if (object === null) throw new Error(`NATS: the object ${name} is gone`);
  await pipeline(Readable.from(object.data), createWriteStream(path));
  const error = await object.error;
  if (error instanceof Error) throw error;
}
