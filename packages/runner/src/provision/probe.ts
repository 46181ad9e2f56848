import { setTimeout as sleep } from 'node:timers/promises';
import { type Availability, messageOf, type Route, type TargetOptions } from '@fair-bench/contract';
import { loadConnector } from '../discover/load.ts';
import { type OptionsInput, targetOptions } from '../plan/target-options.ts';
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

/** The plan's targets that are unavailable here, each with the fact and the remedy. Nothing is started. */
export async function unavailableTargets(
  run: OptionsInput & { readonly connectors: ReadonlyMap<string, { readonly connector: Route }> },
): Promise<ReadonlyMap<string, string>> {
  const answers = await Promise.all(
    run.plan.targets.map(async (planned): Promise<[string, string][]> => {
      const { target, connector } = planned;
      const found = run.connectors.get(connector)?.connector;
      if (found === undefined) throw new Error(`${target}: connector ${connector} was not loaded`);
      try {
        const answer = await probe(found, targetOptions(run, planned));
        return answer.available ? [] : [[target, `${target}: ${answer.reason}; ${answer.remedy}`]];
      } catch (error) {
        return [[target, `${target}: ${messageOf(error)}`]];
      }
    }),
  );
  return new Map(answers.flat());
}

/** Asks about a target that is not in a plan yet. */
export async function probeAlone({ connector, url, settings }: TargetDefinition): Promise<Availability> {
  const load = { sessionsMax: 1, depthMax: 1, workload: null };
  const options = { ...settings, ...(url === null ? {} : { url }), ...load };
  return await probe(await loadConnector(connector), options);
}
