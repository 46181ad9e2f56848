import { setTimeout as sleep } from 'node:timers/promises';
import { type Availability, messageOf, type Route, type TargetOptions } from '@fair-bench/contract';
import type { PlannedTarget } from '@fair-bench/results';
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

type ProbedRun = OptionsInput & { readonly connectors: ReadonlyMap<string, { readonly connector: Route }> };

/** The plan's targets that are unavailable here, each with the fact and the remedy. Nothing is started. */
export async function unavailableTargets(run: ProbedRun): Promise<ReadonlyMap<string, string>> {
  const answers = await Promise.all(
    run.plan.targets.map(async (planned): Promise<[string, string][]> => {
      const lack = await lackOf(run, planned);
      return lack === null ? [] : [[planned.target, lack]];
    }),
  );
  return new Map(answers.flat());
}

/** Why no target of the plan is available here; null as soon as one is. */
export async function nothingAvailable(run: ProbedRun): Promise<string | null> {
  const lacks: string[] = [];
  for (const planned of run.plan.targets) {
    const lack = await lackOf(run, planned);
    if (lack === null) return null;
    lacks.push(lack);
  }
  return lacks.join('; ');
}

async function answerOf(run: ProbedRun, planned: PlannedTarget): Promise<Availability> {
  const { target, connector } = planned;
  const found = run.connectors.get(connector)?.connector;
  if (found === undefined) throw new Error(`${target}: connector ${connector} was not loaded`);
  return await probe(found, targetOptions(run, planned));
}

async function lackOf(run: ProbedRun, planned: PlannedTarget): Promise<string | null> {
  const { target } = planned;
  try {
    const answer = await answerOf(run, planned);
    return answer.available ? null : `${target}: ${answer.reason}; ${answer.remedy}`;
  } catch (error) {
    return `${target}: ${messageOf(error)}`;
  }
}

/** Asks about a target that is not in a plan yet. */
export async function probeAlone({ connector, url, settings }: TargetDefinition): Promise<Availability> {
  const load = { sessionsMax: 1, depthMax: 1, threadsMax: 1, batchMax: 1, workload: null };
  const options = { ...settings, ...(url === null ? {} : { url }), ...load };
  return await probe(await loadConnector(connector), options);
}
