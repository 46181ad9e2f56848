import { setTimeout as sleep } from 'node:timers/promises';
import type { Availability, Route, TargetOptions } from '@fair-bench/contract';
import { loadConnector } from '../discover/load.ts';
import type { TargetDefinition } from '../targets/definition.ts';

const probeMsMax = 15_000;
const unanswered: Availability = {
  available: false,
  reason: `no answer within ${probeMsMax / 1000} s`,
  remedy: 'check that the system answers other clients',
};

/** Asks a connector whether its target is available. No answer in time means unavailable. */
export async function probe(connector: Route, options: TargetOptions): Promise<Availability> {
  const answered = new AbortController();
  try {
    const late = sleep(probeMsMax, unanswered, { signal: answered.signal });
    return await Promise.race([connector.probe(options), late]);
  } finally {
    answered.abort();
  }
}

/** The same for a target that is not in a plan yet. */
export async function probeAlone({ connector, url, settings }: TargetDefinition): Promise<Availability> {
  const load = { sessionsMax: 1, depthMax: 1, workload: null };
  const options = { ...settings, ...(url === null ? {} : { url }), ...load };
  return await probe(await loadConnector(connector), options);
}
