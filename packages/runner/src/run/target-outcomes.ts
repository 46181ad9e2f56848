import { messageOf } from '@fair-bench/contract';
import {
  isolationOf,
  type ObservedIsolation,
  type PlannedTarget,
  readIsolation,
  type RunPlan,
  type TargetOutcome,
} from '@fair-bench/results';
import type { RunContext } from '../measure/run-context.ts';
import type { TargetState } from '../provision/targets.ts';

interface Provisioned {
  readonly states: ReadonlyMap<string, TargetState>;
  readonly connectors: RunContext['connectors'];
  readonly context: Pick<RunContext, 'root'> & { readonly display: Pick<RunContext['display'], 'message'> };
}

/** The state of every planned target before the rounds, with what earlier runs saw of its isolation. */
export async function targetOutcomes(
  { targets }: Pick<RunPlan, 'targets'>,
  provisioned: Provisioned,
): Promise<TargetOutcome[]> {
  const observed = await storedIsolation(provisioned.context);
  return targets.map((target) => outcomeOf(target, provisioned, observed));
}

/** What earlier runs saw; a broken table is reported and ignored. */
async function storedIsolation({
  root,
  display,
}: Provisioned['context']): Promise<readonly ObservedIsolation[]> {
  return await readIsolation(root).catch((error: unknown) => {
    display.message(messageOf(error));
    return [];
  });
}

function outcomeOf(
  { target, connector }: PlannedTarget,
  { states, connectors }: Pick<Provisioned, 'states' | 'connectors'>,
  observed: readonly ObservedIsolation[],
): TargetOutcome {
  const fairProfile = connectors.get(connector)?.connector.fairProfile ?? [];
  const state = states.get(target);
  if (state?.status === 'ready') {
    const { facts, contention } = state;
    const { name: system, version } = facts.system;
    // A server that was named by its URL may be another than the one of that version that was observed.
    const isolation =
      facts.provider === 'url'
        ? null
        : isolationOf(observed, { connector, system, version, level: facts.isolation });
    const shown = {
      ...(contention === undefined ? {} : { contention }),
      ...(isolation === null ? {} : { isolation }),
    };
    return { target, fairProfile, facts, unavailable: null, ...shown };
  }
  if (state?.status === 'lost') {
    const { facts, reason, remedy } = state;
    return { target, fairProfile, facts, unavailable: null, lost: { reason, remedy } };
  }
  if (state?.status !== 'unavailable') return { target, fairProfile, facts: null, unavailable: null };
  return { target, fairProfile, facts: null, unavailable: { reason: state.reason, remedy: state.remedy } };
}
